// The HTML of Views. Cached by the gateway's name for the server, never by the server's own name: two servers
// with one name would share pages. The server decides for how long and for whom it may be cached.

import type { Refusal } from "../../errors/refusal.ts";
import { serialize } from "../../json-rpc/serialize.ts";
import type { Caller } from "../caller.ts";
import type { Exchange } from "../exchange.ts";
import type { Answer } from "../pipeline.ts";
import { askServer } from "../server-request.ts";
import { documentHash } from "./document-store.ts";

/** A View's document and its metadata. */
export interface UiResource {
  uri: string;
  html: string;
  /** sha256 of the document, in hex. */
  hash: string;
  meta: unknown;
}

/** The documents of Views. */
export interface UiResources {
  /** Serves `resources/read`, from the cache if allowed. */
  read(exchange: Exchange): Promise<Refusal | Answer>;
  /** Extracts the document from a response to `resources/read`. */
  document(answer: Answer["message"], uri: string): UiResource | undefined;
  invalidate(server: string): void;
}

interface Kept {
  result: unknown;
  until: number;
  size: number;
}

const LONGEST_TIME = 60 * 60_000;
const MOST_BYTES = 64 * 2 ** 20;
const LARGEST = 10 * 2 ** 20;

/** Caches what servers allow, in memory. */
export function createUiResources(): UiResources {
  const shelf = new ResponseCache();
  return {
    read: async (exchange) => {
      const uri = exchange.frame.params?.uri;
      if (typeof uri !== "string" || !uri.startsWith("ui://")) return askServer(exchange);
      const { server, caller, frame } = exchange;
      const own = keyOf(server.id, uri, caller);
      const shared = keyOf(server.id, uri);
      const kept = shelf.get(shared) ?? shelf.get(own);
      if (kept) {
        const id = frame.id as string | number;
        return { message: { jsonrpc: "2.0", id, result: kept.result } };
      }
      const { message } = await askServer(exchange);
      const result = "result" in message ? message.result : undefined;
      const { ttlMs, cacheScope, resultType } = Object(result) as Record<string, unknown>;
      // A response that depends on the user's input is never cached.
      if (resultType !== "input_required" && typeof ttlMs === "number" && ttlMs > 0) {
        const until = Date.now() + Math.min(ttlMs, LONGEST_TIME);
        const size = serialize(message).length;
        shelf.put(cacheScope === "public" ? shared : own, { result, until, size });
      }
      return { message };
    },
    document: (answer, uri) => {
      const { result } = Object(answer) as { result?: { contents?: unknown } };
      const contents = Array.isArray(result?.contents) ? result.contents : [];
      const content = contents.find((item) => item?.uri === uri);
      const html = htmlOf(content);
      if (html === undefined) return undefined;
      return { uri, html, hash: documentHash(html), meta: content?._meta?.ui };
    },
    invalidate: (server) => shelf.forgetAll(`${JSON.stringify([server]).slice(0, -1)},`),
  };
}

/** A cache of responses with a time limit. Evicts the oldest first. */
class ResponseCache {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  get(key: string): Kept | undefined {
    const entry = this.#kept.get(key);
    if (!entry || entry.until > Date.now()) return entry;
    this.#forget(key);
    return undefined;
  }

  put(key: string, entry: Kept): void {
    this.#forget(key);
    if (entry.size > LARGEST) return;
    // A Map iterates in insertion order.
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes + entry.size <= MOST_BYTES) break;
      this.#forget(oldest);
    }
    this.#kept.set(key, entry);
    this.#bytes += entry.size;
  }

  forgetAll(prefix: string): void {
    for (const key of [...this.#kept.keys()]) if (key.startsWith(prefix)) this.#forget(key);
  }

  #forget(key: string): void {
    this.#bytes -= this.#kept.get(key)?.size ?? 0;
    this.#kept.delete(key);
  }
}

function htmlOf(content: { text?: unknown; blob?: unknown } | undefined): string | undefined {
  if (typeof content?.text === "string") return content.text;
  if (typeof content?.blob !== "string") return undefined;
  return Buffer.from(content.blob, "base64").toString("utf8");
}

function keyOf(server: string, uri: string, caller?: Caller): string {
  return JSON.stringify([server, uri, ...(caller ? [caller.tenant, caller.user] : [])]);
}
