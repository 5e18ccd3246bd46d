import { LocalError } from "@vitrine/protocol";
import { isAppMimeType, UI_SCHEME } from "@vitrine/protocol/apps/discovery";
import type { DiagnosticCode } from "../diagnostic.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { abortable } from "./abortable.ts";
import { listing } from "./listing.ts";
import { recall } from "./server-cache.ts";

/** The HTML of a view, and its server's metadata. */
export interface UiResource {
  server: string;
  uri: string;
  html: string;
  /** `_meta.ui` as sent, so unchecked: of the content item, else of the listing entry (HST-07). */
  meta: unknown;
  prefersBorder?: boolean;
  /** SHA-256 of the HTML, in hexadecimal. */
  hash: string;
}

/** How one resource is read. */
export interface ReadOptions {
  signal?: AbortSignal | undefined;
}

/** Reads UI resources. */
export interface UiResourceReader {
  /** As `readUiResource`, from the cache where the server allows it. */
  read(upstream: Upstream, uri: string, options?: ReadOptions): Promise<UiResource>;
}

/** The UI resources of a page. */
export interface UiResourceCache extends UiResourceReader {
  /** Prefetches for the next `read`, which also reports a failure. */
  prefetch(upstream: Upstream, uri: string): Promise<void>;
}

/** How long resources are kept. */
export interface CacheOptions {
  /** Milliseconds for a server that sends none; default 30,000. */
  ttl?: number;
}

// A server can send anything.
type Answer = { contents?: unknown; ttlMs?: unknown };
type Metadata = { _meta?: { ui?: unknown } | undefined; meta?: { ui?: unknown } };
type Item = { uri?: unknown; mimeType?: unknown; text?: unknown; blob?: unknown } & Metadata;

// The sandbox's limit.
const LIMIT = 5 * 2 ** 20;

function failure(code: DiagnosticCode, about: string, cause?: unknown): LocalError {
  return Object.assign(new LocalError(code, about), { cause });
}

/**
 * Reads a view's HTML; rejects with a `LocalError` whose code is a `DiagnosticCode` of that stage.
 */
export async function readUiResource(
  upstream: Upstream,
  uri: string,
  options: ReadOptions = {},
): Promise<UiResource> {
  return (await readAnswer(upstream, uri, options))[0];
}

async function readAnswer(
  upstream: Upstream,
  uri: string,
  { signal }: ReadOptions,
): Promise<[UiResource, Answer]> {
  if (!uri.startsWith(UI_SCHEME) || uri === UI_SCHEME) throw failure("bad-resource-uri", uri);
  const failed = (cause: unknown): never => {
    throw failure("resource-failed", uri, cause);
  };
  // In parallel with the read, because most views declare nothing in their content and would wait
  // twice. A server need not list its UI, or anything at all (SRV-10).
  const entries = abortable(listing(upstream, "resources"), signal).catch(() => []);
  const answer: Answer = await upstream
    .request("resources/read", { uri }, { signal })
    .catch(failed);
  const item = itemOf(answer, uri);
  const html = htmlOf(item, uri);
  const bytes = new TextEncoder().encode(html);
  if (bytes.length > LIMIT) throw failure("resource-large", uri);
  const meta = uiOf(item) ?? uiOf((await entries).find((entry) => isSame(entry.uri, uri)));
  const prefersBorder = (meta as { prefersBorder?: unknown } | undefined)?.prefersBorder;
  const hash = await sha256(bytes).catch(failed);
  const resource: UiResource = { server: upstream.server, uri, html, meta, hash };
  if (typeof prefersBorder === "boolean") resource.prefersBorder = prefersBorder;
  return [resource, answer];
}

function itemOf(answer: Answer, uri: string): Item {
  const contents = answer?.contents;
  const items = Array.isArray(contents) ? contents.filter((item) => isSame(item?.uri, uri)) : [];
  if (items.length !== 1) throw failure("resource-empty", uri);
  return items[0];
}

// Servers return the address as requested, or as `URL` normalizes it.
function isSame(given: unknown, asked: string): boolean {
  return given === asked || given === URL.parse(asked)?.href;
}

// Some servers in Python spell it without the underscore.
function uiOf(carrier: Metadata | undefined): unknown {
  return (carrier?._meta ?? carrier?.meta)?.ui ?? undefined;
}

function htmlOf({ mimeType, text, blob }: Item, uri: string): string {
  if (!isAppMimeType(mimeType)) throw failure("resource-type", `${uri}: ${mimeType}`);
  const sent = text ?? blob;
  if (typeof sent !== "string" || !sent) throw failure("resource-empty", uri);
  // Before it is copied; base64 has four characters for three bytes.
  if (sent.length > LIMIT * 1.5) throw failure("resource-large", uri);
  return sent === text ? sent : fromBase64(sent, uri);
}

function fromBase64(text: string, uri: string): string {
  try {
    // Not the text of `atob`, which has a character for each byte.
    return new TextDecoder().decode(Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0)));
  } catch (cause) {
    throw failure("resource-empty", uri, cause);
  }
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // Only in a secure context, which a host needs anyway: https or localhost.
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Caches resources (HST-06), separately for each connection. */
export function createUiResourceCache({ ttl = 30_000 }: CacheOptions = {}): UiResourceCache {
  const recallResource = (
    upstream: Upstream,
    uri: string,
    isAhead?: boolean,
  ): Promise<UiResource> =>
    recall(
      upstream,
      "resources",
      uri,
      async (signal) => {
        const [resource, { ttlMs }] = await readAnswer(upstream, uri, { signal });
        return [resource, typeof ttlMs === "number" ? ttlMs : ttl];
      },
      isAhead,
    );
  return {
    read: async (upstream, uri, { signal } = {}) => {
      try {
        return await abortable(recallResource(upstream, uri), signal);
      } catch (cause) {
        throw signal?.aborted ? failure("resource-failed", uri, cause) : cause;
      }
    },
    prefetch: async (upstream, uri) => {
      await recallResource(upstream, uri, true).catch(() => {});
    },
  };
}
