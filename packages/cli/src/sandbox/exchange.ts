// Requests with the headers that a browser sends. `fetch` replaces Sec-Fetch headers and merges repeated
// response headers, so these use Node's own client.

import { type LookupAddress, lookup as lookUp } from "node:dns";
import { request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";

/** A response as it arrived. */
export interface Exchange {
  url: string;
  status: number;
  /** Lower-case names; a header that was sent twice has two values. */
  headers: ReadonlyMap<string, readonly string[]>;
  text: string;
}

/** What a request needs beyond its address. */
export interface Sending {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** How to connect; tests have names that no name server knows. */
export interface Connecting {
  /** The IP address of a name. */
  resolve?: ((name: string) => string | undefined) | undefined;
  /** Certificates to trust instead of the usual ones. */
  ca?: string | undefined;
  /** Milliseconds for each request. */
  patience?: number | undefined;
}

/** Sends requests, each over its own connection, so that a load balancer can choose another instance. */
export type Send = (url: string, sending?: Sending) => Promise<Exchange>;

const PATIENCE = 15_000;
// A sandbox's page has 40 KB. What comes after this bound changes no conclusion.
const LONGEST_TEXT = 2 ** 20;

/** Creates the function that sends requests. */
export function createSend({ resolve, ca, patience = PATIENCE }: Connecting = {}): Send {
  const lookup = createLookup(resolve);
  return (url, { method = "GET", headers = {}, body } = {}) =>
    new Promise((done, fail) => {
      const { protocol } = new URL(url);
      const options: RequestOptions = {
        method,
        agent: false,
        signal: AbortSignal.timeout(patience),
        headers: { ...headers, ...(body && { "content-length": `${Buffer.byteLength(body)}` }) },
        lookup,
        ...(ca !== undefined && { ca }),
        // A browser accepts more than Node does by default.
        maxHeaderSize: 2 ** 20,
      };
      const outgoing = (protocol === "https:" ? requestHttps : requestHttp)(url, options);
      outgoing.on("error", fail);
      outgoing.on("response", (incoming) => {
        const chunks: Buffer[] = [];
        let size = 0;
        const end = (): void => {
          const text = Buffer.concat(chunks).toString("utf8");
          const { statusCode: status = 0, rawHeaders } = incoming;
          done({ url, status, headers: readHeaders(rawHeaders), text });
          outgoing.destroy();
        };
        incoming.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size > LONGEST_TEXT) end();
        });
        incoming.on("end", end);
        incoming.on("error", fail);
      });
      outgoing.end(body);
    });
}

/** Browsers resolve names below `localhost` themselves; most name servers don't. */
function createLookup(resolve: Connecting["resolve"]): LookupFunction {
  return (name, options, callback) => {
    const own = resolve?.(name) ?? (name.endsWith(".localhost") ? "127.0.0.1" : undefined);
    if (own === undefined && !resolve) {
      lookUp(name, options, callback);
      return;
    }
    if (own === undefined) {
      callback(Object.assign(new Error(`${name} not found`), { code: "ENOTFOUND" }), "", 4);
      return;
    }
    const found: LookupAddress = { address: own, family: 4 };
    if (options.all) callback(null, [found]);
    else callback(null, found.address, found.family);
  };
}

function readHeaders(raw: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), raw[at + 1] ?? ""]);
  }
  return headers;
}

/** The values of a header as one text; empty if it wasn't sent. */
export function headerOf({ headers }: Pick<Exchange, "headers">, name: string): string {
  return (headers.get(name) ?? []).join(", ");
}

/** What Chromium sends when it loads a frame of a page of `host`. */
export function frameHeaders(host: string | undefined): Record<string, string> {
  return {
    accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "accept-encoding": "identity",
    "accept-language": "en",
    "sec-fetch-dest": "iframe",
    "sec-fetch-mode": "navigate",
    "sec-fetch-site": "cross-site",
    "upgrade-insecure-requests": "1",
    "user-agent": USER_AGENT,
    ...(host !== undefined && /^https?:/.test(host) && { referer: `${host}/` }),
  };
}

/** What Chromium sends when the script of the entrance registers a view. */
export function registrationHeaders(proxy: string): Record<string, string> {
  return {
    accept: "*/*",
    "accept-encoding": "identity",
    "content-type": "application/json",
    origin: proxy,
    "sec-fetch-dest": "empty",
    "sec-fetch-mode": "cors",
    "sec-fetch-site": "same-origin",
    "user-agent": USER_AGENT,
  };
}

// Some proxies treat programs differently from browsers.
const USER_AGENT =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36";
