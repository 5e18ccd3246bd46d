// What a page does by itself when a View asks for a link or a download. Policy and the user have
// spoken before; the checks here are those that must hold whoever calls.

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

/** What a View wants to have saved. */
export type DownloadItems = McpUiDownloadFileRequest["params"]["contents"];

/** How much is saved at once. */
export interface DownloadLimits {
  /** Bytes of all files together; 25 MiB. */
  size?: number;
  /** Files; 10. */
  files?: number;
}

const refused = (reason: string): { isError: true; reason: string } => ({ isError: true, reason });

/** Opens a link in a new tab that knows nothing of this page (HST-70). */
export async function openLink({
  url,
}: McpUiOpenLinkRequest["params"]): Promise<McpUiOpenLinkResult> {
  // Which hosts is the policy's matter; that nothing here runs code or starts a program is ours.
  const link = decideLink(url, { mailto: true, privateHosts: true });
  if (!link.allow) return refused(link.reason);
  // `noopener` hides whether a window opened, so ask first: without a click the browser blocks it.
  if (navigator.userActivation?.isActive === false) {
    return refused("The browser opens a window only just after a click; ask again on a click.");
  }
  open(link.href, "_blank", "noopener,noreferrer");
  return {};
}

/** What a user is asked about: the names as they will be saved, and bytes as far as they are known. */
export function describeDownload(items: DownloadItems): { names: string[]; size: number } {
  return {
    names: items.map((item) => downloadName(uriOf(item))),
    size: sum(items.map(sizeOf)),
  };
}

/**
 * Saves files, all or none (HST-74). A link is read from the View's own Server and never fetched;
 * without one it is refused.
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
    if (signal?.aborted) return refused("The request was taken back.");
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
    return `${items.length} files were sent; ${maxFiles} are saved at once.`;
  }
  // Before anything is decoded, and again after: a link may be larger than it said.
  let { size } = describeDownload(items);
  const files: File[] = [];
  for (const item of items) {
    if (size > maxSize) break;
    const file = await readItem(item, readResource).catch(() => undefined);
    if (!file) return `${uriOf(item)} has no content; embed it, as text or base64.`;
    files.push(file);
    size = Math.max(size, sum(files.map((read) => read.size)));
  }
  return size > maxSize ? `${size} bytes were sent; ${maxSize} are saved at once.` : files;
}

const sum = (numbers: number[]): number => numbers.reduce((total, next) => total + next, 0);

function uriOf(item: DownloadItems[number]): string {
  return item.type === "resource_link" ? item.uri : item.resource.uri;
}

/** Bytes; of a link what it says of itself. */
function sizeOf(item: DownloadItems[number]): number {
  if (item.type === "resource_link") return Math.max(0, item.size || 0);
  return "blob" in item.resource
    ? Math.floor(item.resource.blob.length * 0.75)
    : new Blob([item.resource.text]).size;
}

/** One content item under the name that was asked about, whatever the Server calls it. */
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
    blob === undefined ? text : Uint8Array.from(atob(blob), (letter) => letter.charCodeAt(0));
  // Never the type that was sent: a blob has our origin, and a browser must not come to show it.
  const type = "application/octet-stream";
  return part === undefined ? undefined : new File([part], downloadName(uri), { type });
}

function save(file: File): void {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(file);
  anchor.download = file.name;
  anchor.click();
  // Browsers read it after the click, some of them only once the user has chosen a place.
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
}
