// Stores the HTML of approved Views by hash. Servers choose the number and size of documents, so each server
// has a quota. Beyond it, the least recently used documents are deleted.

import { createHash } from "node:crypto";
import { hashOf } from "../../crypto/stable-hash.ts";
import type { Engine, Entry, Kv } from "../../engine/engine.ts";
import { EngineError } from "../../engine/engine-error.ts";

/** Limits of a store. */
export interface DocumentStoreOptions {
  /** Bytes of the documents of one server. */
  keepBytes?: number | undefined;
  clock?: () => number;
}

/** A document of a server, and when it was last opened. */
type Listed = readonly [sha256: string, bytes: number, time: number];

const KEEP_BYTES = 64 * 2 ** 20;
/** Documents per server. Their list is one value in the engine. */
const MOST_DOCUMENTS = 1_000;
/** The time in the list is only updated after this many milliseconds. */
const FRESH = 60 * 60_000;
const ATTEMPTS = 5;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The SHA-256 of a document, in hexadecimal. */
export function documentHash(html: string): string {
  return createHash("sha256").update(html).digest("hex");
}

/** Stores documents in an engine's blobs. */
export class DocumentStore {
  readonly #engine: Pick<Engine, "blob">;
  readonly #lists: Kv;
  readonly #keepBytes: number;
  readonly #clock: () => number;

  constructor(
    engine: Pick<Engine, "blob" | "kv">,
    { keepBytes = KEEP_BYTES, clock = Date.now }: DocumentStoreOptions = {},
  ) {
    this.#engine = engine;
    this.#lists = engine.kv("documents", { durable: true });
    this.#keepBytes = keepBytes;
    this.#clock = clock;
  }

  /** Stores a document. Returns false if it is larger than the server's quota. */
  async keep(server: string, html: string): Promise<boolean> {
    const bytes = encoder.encode(html);
    if (bytes.length > this.#keepBytes) return false;
    const key = hashOf([server]);
    // Listed first, because an unlisted document would count towards no quota.
    const dropped = await this.#list(key, documentHash(html), bytes.length);
    await this.#engine.blob.put(bytes);
    for (const sha256 of dropped) {
      if (!(await this.#isListedElsewhere(key, sha256))) await this.#engine.blob.delete(sha256);
    }
    return true;
  }

  /** Adds a document to the list. Returns the documents that it displaces. */
  async #list(key: string, sha256: string, bytes: number): Promise<readonly string[]> {
    for (let attempt = 1; ; attempt++) {
      const entry = await this.#lists.get(key);
      const before = readList(entry);
      const now = this.#clock();
      const known = before.find(([hash]) => hash === sha256);
      if (known && now - known[2] < FRESH) return [];
      const others = before.filter(([hash]) => hash !== sha256);
      const kept = newest(others, this.#keepBytes - bytes);
      const list: readonly Listed[] = [...kept, [sha256, bytes, now]];
      const value = encoder.encode(JSON.stringify(list));
      if (await this.#write(key, value, { entry, isLast: attempt === ATTEMPTS })) {
        return others.slice(0, others.length - kept.length).map(([hash]) => hash);
      }
    }
  }

  /** Returns false if another process changed the list since it was read. */
  async #write(
    key: string,
    value: Uint8Array,
    { entry, isLast }: { entry: Entry | undefined; isLast: boolean },
  ): Promise<boolean> {
    try {
      if (isLast) await this.#lists.put(key, value);
      else if (entry) await this.#lists.update(key, value, entry.revision);
      else await this.#lists.create(key, value);
      return true;
    } catch (error) {
      const isTaken = error instanceof EngineError && /^(exists|conflict)$/.test(error.code);
      if (!isTaken) throw error;
      return false;
    }
  }

  /** Two servers may have the same document. */
  async #isListedElsewhere(own: string, sha256: string): Promise<boolean> {
    for await (const key of this.#lists.keys()) {
      if (key === own) continue;
      if (readList(await this.#lists.get(key)).some(([hash]) => hash === sha256)) return true;
    }
    return false;
  }
}

/** The end of a list, as many entries as fit next to a new one. */
function newest(list: readonly Listed[], room: number): readonly Listed[] {
  let [left, first] = [room, list.length];
  const least = Math.max(0, list.length - MOST_DOCUMENTS + 1);
  for (; first > least; first--) {
    left -= (list[first - 1] as Listed)[1];
    if (left < 0) break;
  }
  return list.slice(first);
}

function readList(entry: Entry | undefined): readonly Listed[] {
  return entry ? (JSON.parse(decoder.decode(entry.value)) as Listed[]) : [];
}
