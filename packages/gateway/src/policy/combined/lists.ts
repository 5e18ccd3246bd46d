// The lists of the combined endpoint: the lists of all servers, read at the same time. A server that fails, is
// slow or lists without end costs its own entries only.

import type { Exchange } from "../exchange.ts";
import type { Answer } from "../pipeline.ts";
import { BoundedList } from "../schemas/bounded-list.ts";
import type { ServerBinding } from "../server-binding.ts";
import type { Parts } from "./parts.ts";
import {
  combinedPrompt,
  combinedResource,
  combinedTemplate,
  combinedTool,
  SOURCE_KEY,
} from "./rewriting.ts";

type Fields = Record<string, unknown>;

interface ListKind {
  /** The member of the result that has the entries. */
  member: string;
  rewrite(server: string, entry: Fields): Fields;
  /** What identifies an entry. */
  key: string;
}

/** The methods that list. */
export const LISTS: ReadonlyMap<string, ListKind> = new Map([
  ["tools/list", { member: "tools", rewrite: combinedTool, key: "name" }],
  ["prompts/list", { member: "prompts", rewrite: combinedPrompt, key: "name" }],
  ["resources/list", { member: "resources", rewrite: combinedResource, key: "uri" }],
  [
    "resources/templates/list",
    { member: "resourceTemplates", rewrite: combinedTemplate, key: "uriTemplate" },
  ],
]);

/** The key in `_meta` of a list that names the servers whose entries are missing. */
const LEFT_OUT_KEY = "vitrine/left-out";

/** How long a list waits for one server, in milliseconds. */
const LIST_TIME = 5000;
/** A server that was too slow gets this time until it answers again. */
const SHORT_TIME = 500;
/** Servers in one page of a combined list. */
const SERVERS = 16;
const PAGES = 64;
/** How much of one server's list is read. */
const MOST = { items: 1000, characters: 2 ** 20 };
const METHOD_NOT_FOUND = -32_601;

/** Reads the lists of servers. */
export class CombinedLists {
  readonly #parts: Parts;
  readonly #time: number;
  /** Servers that were too slow the last time. */
  readonly #slow = new WeakSet<object>();

  constructor(parts: Parts, { time = LIST_TIME }: { time?: number | undefined } = {}) {
    this.#parts = parts;
    this.#time = time;
  }

  /** Serves a request for a list. */
  async serve(exchange: Exchange): Promise<Answer> {
    const { frame, caller } = exchange;
    const { member } = LISTS.get(frame.method) as ListKind;
    const after = readCursor(frame.params?.cursor);
    const servers = this.#parts.visible(caller).filter(({ id }) => id > after);
    const page = servers.slice(0, SERVERS);
    const read = await Promise.all(page.map((server) => this.#readInTime(exchange, server)));
    const missing = page.filter((_server, place) => read[place] === undefined).map(({ id }) => id);
    const last = servers.length > SERVERS ? page.at(-1)?.id : undefined;
    const result = {
      resultType: "complete",
      [member]: read.flatMap((entries) => entries ?? []),
      ...(last !== undefined && { nextCursor: Buffer.from(last).toString("base64url") }),
      ttlMs: 0,
      cacheScope: "private",
      ...(missing.length > 0 && { _meta: { [LEFT_OUT_KEY]: missing } }),
    };
    return { message: { jsonrpc: "2.0", id: frame.id as string | number, result } };
  }

  /** The name at a server of something that the combined endpoint lists. Undefined if it isn't listed. */
  async sourceOf(
    exchange: Exchange,
    { server, method, name }: { server: ServerBinding; method: string; name: string },
  ): Promise<string | undefined> {
    const entries = await this.#readInTime(exchange, server, method);
    const meta = entries?.find((entry) => entry.name === name)?._meta as Fields | undefined;
    return (meta?.[SOURCE_KEY] as { name: string } | undefined)?.name;
  }

  /** Undefined for a server that fails or takes too long. */
  async #readInTime(
    exchange: Exchange,
    server: ServerBinding,
    method: string = exchange.frame.method,
  ): Promise<Fields[] | undefined> {
    const over = new AbortController();
    const time = this.#slow.has(server.upstream) ? Math.min(SHORT_TIME, this.#time) : this.#time;
    let timer: NodeJS.Timeout | undefined;
    // A part may wait for something that its signal doesn't end, such as a list that several callers share.
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        this.#slow.add(server.upstream);
        over.abort();
        resolve(undefined);
      }, time);
    });
    const signal = AbortSignal.any([exchange.signal, over.signal]);
    const reading = this.#read(exchange, { server, method, signal }).then((entries) => {
      if (!signal.aborted) this.#slow.delete(server.upstream);
      return entries;
    });
    try {
      return await Promise.race([reading, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #read(exchange: Exchange, request: ListRequest): Promise<Fields[] | undefined> {
    const { member } = LISTS.get(request.method) as ListKind;
    const list = new BoundedList(MOST);
    let cursor: string | undefined;
    for (let page = 0; page < PAGES && !list.isFull; page++) {
      const result = await this.#readPage(exchange, request, cursor);
      if (!result && page === 0) return undefined;
      list.add(result?.[member]);
      const next = result?.nextCursor;
      if (typeof next !== "string" || next === cursor) break;
      cursor = next;
    }
    return entriesOf(request, list.items);
  }

  async #readPage(
    exchange: Exchange,
    { server, method, signal }: ListRequest,
    cursor: string | undefined,
  ): Promise<Fields | undefined> {
    if (signal.aborted) return undefined;
    const part = { server, method, params: { cursor }, signal, notify: () => {} };
    const { message, errorCode } = await this.#parts.run(exchange, part);
    // A server without prompts has an empty list of them.
    if (errorCode === METHOD_NOT_FOUND) return {};
    return message && "result" in message ? (Object(message.result) as Fields) : undefined;
  }
}

interface ListRequest {
  server: ServerBinding;
  method: string;
  signal: AbortSignal;
}

/** Rewrites entries, and drops all but the first with the same name. */
function entriesOf({ server, method }: ListRequest, items: readonly Fields[]): Fields[] {
  const { rewrite, key } = LISTS.get(method) as ListKind;
  const byKey = new Map<unknown, Fields>();
  for (const item of items) {
    if (typeof item !== "object" || item === null || typeof item[key] !== "string") continue;
    const entry = rewrite(server.id, item);
    if (!byKey.has(entry[key])) byKey.set(entry[key], entry);
  }
  return [...byKey.values()];
}

/** The id of the last server of the page before. Any other text starts after it as well, which is harmless. */
function readCursor(cursor: unknown): string {
  return typeof cursor === "string" ? Buffer.from(cursor, "base64url").toString() : "";
}
