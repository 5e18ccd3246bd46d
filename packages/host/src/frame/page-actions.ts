// Opens links and saves downloads for a view. Policy and consent have been checked before; the checks
// here must hold for every caller.

import {
  decideLink,
  downloadName,
  type McpUiDownloadFileRequest,
  type McpUiDownloadFileResult,
  type McpUiOpenLinkRequest,
  type McpUiOpenLinkResult,
  type ReadResourceResult,
} from "@vitrine/protocol/apps";
import type { Upstream } from "../upstreams/upstream.ts";

/** The files that a view asks to save. */
export type DownloadItems = McpUiDownloadFileRequest["params"]["contents"];

/** How much is saved at once. */
export interface DownloadLimits {
  /** Bytes of all files together; 25 MiB. */
  size?: number;
  /** Files; 10. */
  files?: number;
}

const refused = (reason: string): { isError: true; reason: string } => ({ isError: true, reason });

/** Opens a link in a new tab that has no reference to this page (HST-70). */
export async function openLink({
  url,
}: McpUiOpenLinkRequest["params"]): Promise<McpUiOpenLinkResult> {
  // The policy decides which sites are allowed. This check makes sure that no link runs code or
  // starts a program.
  const link = decideLink(url, { mailto: true, privateHosts: true });
  if (!link.allow) return refused(link.reason);
  // `noopener` hides whether a window opened, so check first: without a click the browser blocks it.
  if (navigator.userActivation?.isActive === false) {
    return refused(
      "The browser only opens a window right after a click. Ask again in a click handler.",
    );
  }
  open(link.href, "_blank", "noopener,noreferrer");
  return {};
}

/** What the user is asked about: the names that files will have, and their bytes where known. */
export function describeDownload(items: DownloadItems): {
  names: string[];
  size: number;
  sizes: number[];
} {
  const sizes = items.map(sizeOf);
  return { names: items.map((item) => downloadName(uriOf(item))), size: sum(sizes), sizes };
}

/**
 * Saves all files or none (HST-74). A link is read from the view's own server and never fetched;
 * without a server it is rejected.
 */
export function downloadFile(
  upstream?: Pick<Upstream, "request">,
  limits: DownloadLimits = {},
): (
  params: McpUiDownloadFileRequest["params"],
  extra?: { signal?: AbortSignal },
) => Promise<McpUiDownloadFileResult> {
  return async ({ contents }, { signal } = {}) => {
    const files = await readFiles(contents, limits, (uri) =>
      upstream?.request("resources/read", { uri }, { signal }),
    );
    if (typeof files === "string") return refused(files);
    if (signal?.aborted) return refused("The request was cancelled.");
    files.forEach(save);
    return {};
  };
}

type ReadResource = (uri: string) => Promise<ReadResourceResult> | undefined;

/** All files, or the reason why there are none. */
async function readFiles(
  items: DownloadItems,
  { size: maxSize = 25 * 2 ** 20, files: maxFiles = 10 }: DownloadLimits,
  readResource: ReadResource,
): Promise<File[] | string> {
  if (items.length > maxFiles) {
    return `${items.length} files were sent; at most ${maxFiles} can be saved at once.`;
  }
  // Checked before and after decoding: a link may be larger than declared.
  let { size } = describeDownload(items);
  const files: File[] = [];
  for (const item of items) {
    if (size > maxSize) break;
    const file = await readItem(item, readResource).catch(() => undefined);
    if (!file) return `${uriOf(item)} has no content. Embed it as text or base64.`;
    files.push(file);
    size = Math.max(size, sum(files.map((read) => read.size)));
  }
  return size > maxSize
    ? `${size} bytes were sent; at most ${maxSize} can be saved at once.`
    : files;
}

const sum = (numbers: number[]): number => numbers.reduce((total, next) => total + next, 0);

function uriOf(item: DownloadItems[number]): string {
  return item.type === "resource_link" ? item.uri : item.resource.uri;
}

/** Bytes; for a link, its declared size. */
function sizeOf(item: DownloadItems[number]): number {
  if (item.type === "resource_link") return Math.max(0, item.size || 0);
  return "blob" in item.resource
    ? Math.floor(item.resource.blob.length * 0.75)
    : new Blob([item.resource.text]).size;
}

/** One content item under the name that the user agreed to, whatever the server calls it. */
async function readItem(
  item: DownloadItems[number],
  readResource: ReadResource,
): Promise<File | undefined> {
  const uri = uriOf(item);
  const read = item.type === "resource" ? [item.resource] : (await readResource(uri))?.contents;
  const [contents, ...more] = read ?? [];
  if (!contents || more.length > 0) return undefined;
  const { blob, text } = contents as { blob?: string; text?: string };
  const part =
    blob === undefined ? text : Uint8Array.from(atob(blob), (character) => character.charCodeAt(0));
  // Never the declared type: a blob has our origin, and the browser must not display it.
  const type = "application/octet-stream";
  return part === undefined ? undefined : new File([part], downloadName(uri), { type });
}

function save(file: File): void {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(file);
  anchor.download = file.name;
  anchor.click();
  // Browsers read it after the click, some only after the user chose a folder.
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
}
