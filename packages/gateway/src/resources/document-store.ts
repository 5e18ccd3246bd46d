// The HTML of Views that were approved, kept by its hash. Servers choose how many documents there are and how
// large they are, so each server has a quota: beyond it, its documents that were unused for longest are deleted.

import { createHash } from "node:crypto";
import type { Engine, Entry, Kv } from "../engine/engine.ts";
import { EngineError } from "../engine/errors.ts";
import { hashOf } from "../stable-hash.ts";

/** Limits of a store. */
export interface DocumentStoreOptions {
  /** Bytes of the documents of one server. */
  keepBytes?: number | undefined;
  clock?: () => number;
}

/** A document of a server, and when somebody last opened it. */
type Listed = readonly [sha256: string, bytes: number, time: number];

const KEEP_BYTES = 64 * 2 ** 20;
/** Documents of one server: their list is one value of the engine. */
const MOST_DOCUMENTS = 1_000;
/** The time in the list is no more exact than this. */
const FRESH = 60 * 60_000;
const ATTEMPTS = 5;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The SHA-256 of a document, in hexadecimal. */
export function documentHash(html: string): string {
  return createHash("sha256").update(html).digest("hex");
}

/** Keeps documents in an engine's blobs. */
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

  /** Keeps a document of a server; false if it is larger than all that the server may have. */
  async keep(server: string, html: string): Promise<boolean> {
    const bytes = encoder.encode(html);
    if (bytes.length > this.#keepBytes) return false;
    const key = hashOf([server]);
    // It is listed first: a document that is not in a list would count for nobody.
    const dropped = await this.#list(key, documentHash(html), bytes.length);
    await this.#engine.blob.put(bytes);
    for (const sha256 of dropped) {
      if (!(await this.#isListedElsewhere(key, sha256))) await this.#engine.blob.delete(sha256);
    }
    return true;
  }

  /** Enters a document; returns those that had to go. */
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

  /** False if another process wrote the list meanwhile. */
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

/** The last of a list, as many as there is room for beside a new one. */
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
