// The HTTP interface of a page to the process that serves it. Any site that the user visits can send
// requests to this port, and the interface runs programs and models at the user's expense. So the host
// name, the origin and the page's secret must all be right.

import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ReadableStream as NodeStream } from "node:stream/web";

/** Answers the requests of the page. */
export type PageApi = (request: Request) => Response | Promise<Response>;

/** Handles the parameters of a redirect. Returns one sentence for the user. */
export type PageCallback = (parameters: URLSearchParams) => Promise<string>;

/** What a request must carry. */
export interface PageApiGuard {
  /** The page's origin. */
  origin: string;
  /** The page's secret. */
  key: string;
}

/** The header with the page's secret. A form or an image of another site can't set a header. */
export const KEY_HEADER = "x-vitrine-key";

// A conversation with pictures, as the page sends it with each turn.
const LONGEST_BODY = 64 * 1024 * 1024;

/** Why a request isn't the page's own; `undefined` if it is. */
export function rejectionOf(
  { method, headers }: Pick<IncomingMessage, "method" | "headers">,
  { origin, key }: PageApiGuard,
): string | undefined {
  // A name that an attacker's DNS points to this machine isn't ours.
  if (headers.host !== new URL(origin).host) return "This address isn't the page's own.";
  const isOwn =
    headers.origin === undefined
      ? method === "GET" && headers["sec-fetch-site"] === "same-origin"
      : headers.origin === origin;
  if (!isOwn) return "Only the page itself may send requests.";
  return isSame(headers[KEY_HEADER], key) ? undefined : "The page's secret is wrong.";
}

/** Answers one request of the page, or rejects it. */
export async function answerPage(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { api, ...guard }: PageApiGuard & { api: PageApi },
): Promise<void> {
  const reason = rejectionOf(incoming, guard);
  if (reason !== undefined) {
    outgoing.writeHead(403, { "content-type": "text/plain", connection: "close" }).end(reason);
    return;
  }
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const request = toRequest(incoming, guard.origin, gone.signal);
  const response = request ? await answer(api, request) : new Response(null, { status: 400 });
  const headers = Object.fromEntries(response.headers);
  outgoing.writeHead(response.status, { "cache-control": "no-store", ...headers });
  if (!response.body) {
    outgoing.end();
    return;
  }
  // A page that is closed ends its streams early.
  await pipeline(Readable.fromWeb(response.body as never), outgoing).catch(() => {});
}

/** Answers the visit of a user whom another site has sent back. */
export async function answerCallback(
  { url = "", method }: IncomingMessage,
  outgoing: ServerResponse,
  callback: PageCallback,
): Promise<void> {
  const parameters = new URLSearchParams(url.slice(url.indexOf("?")));
  const sentence = method === "GET" ? await callback(parameters) : "This address is for browsers.";
  outgoing
    .writeHead(200, {
      // Plain text: the sentence may quote another site.
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    })
    .end(sentence);
}

function toRequest(
  incoming: IncomingMessage,
  origin: string,
  signal: AbortSignal,
): Request | undefined {
  const { method = "GET", url = "/", headers: received } = incoming;
  if (Number(received["content-length"] ?? 0) > LONGEST_BODY) return undefined;
  const headers = new Headers();
  for (const [name, value] of Object.entries(received))
    if (value !== undefined) headers.set(name, String(value));
  try {
    // Joined as text: a path such as `//other` would choose the host.
    if (method === "GET" || method === "HEAD")
      return new Request(`${origin}${url}`, { method, headers, signal });
    const body = NodeStream.from(limited(incoming));
    return new Request(`${origin}${url}`, {
      method,
      headers,
      signal,
      body,
      duplex: "half",
    } as unknown as RequestInit);
  } catch {
    return undefined;
  }
}

async function* limited(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.byteLength;
    if (size > LONGEST_BODY) throw new RangeError("The request is too long.");
    yield chunk;
  }
}

async function answer(api: PageApi, request: Request): Promise<Response> {
  try {
    return await api(request);
  } catch {
    // The reason may quote a key, so it isn't for the page.
    return new Response("This request failed. Try again.", { status: 500 });
  }
}

function isSame(given: string | string[] | undefined, key: string): boolean {
  if (typeof given !== "string") return false;
  const [a, b] = [Buffer.from(given), Buffer.from(key)];
  return a.length === b.length && timingSafeEqual(a, b);
}
