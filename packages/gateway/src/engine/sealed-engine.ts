// An engine whose key-value store isn't trusted: an attacker with write access to a shared NATS server or to
// the folder must not be able to give a grant, name an authorization server or take over a session. Each
// value is sealed and bound to its bucket and key. A value that doesn't open counts as absent, for readers
// and for watchers, so that a forged value never leaves a cached one in force.
//
// A writer to the store can still delete values and put back an older value of the same key.

import type { Sealer } from "../crypto/sealing.ts";
import type { Change, Engine, Entry, Kv, WatchOptions } from "./engine.ts";
import { EngineError } from "./engine-error.ts";

/** How values are sealed. */
export interface SealedEngineOptions {
  sealer: Sealer;
  /** Called with each value that doesn't open; someone else wrote it, or the key changed. */
  onUnreadable?(where: { bucket: string; key: string }): void;
}

const PURPOSE = "kv value";

/** An engine whose values can be sealed again after its key was rotated. */
export interface Resealing {
  /**
   * Seals the values of all opened buckets that outlive a restart with the first key, so that the others can be
   * removed. Resolves to the number of values that were changed.
   */
  reseal(): Promise<number>;
}

/** The same engine with every value of its key-value store sealed. */
export function sealEngine<Kind extends Engine>(
  engine: Kind,
  options: SealedEngineOptions,
): Kind & Resealing {
  const lasting = new Set<string>();
  return {
    ...engine,
    kv: (bucket, { unreadable = "absent", ...rest } = {}) => {
      if (rest.durable && rest.ttl === undefined) lasting.add(bucket);
      return new SealedKv(engine.kv(bucket, rest), { ...options, bucket, unreadable });
    },
    reseal: async () => {
      let count = 0;
      for (const bucket of lasting) {
        count += await resealBucket(engine.kv(bucket), bucket, options.sealer);
      }
      return count;
    },
  };
}

async function resealBucket(kv: Kv, bucket: string, sealer: Sealer): Promise<number> {
  let count = 0;
  for await (const key of kv.keys()) {
    const entry = await kv.get(key);
    if (!entry || sealer.isCurrent(entry.value)) continue;
    const binding = bindingOf(bucket, key);
    const value = sealer.openBytes(entry.value, binding);
    if (!value) continue;
    try {
      await kv.update(key, sealer.sealBytes(value, binding), entry.revision);
      count += 1;
    } catch (error) {
      // Someone wrote or deleted it since, with the first key.
      if (!(error instanceof EngineError) || error.code !== "conflict") throw error;
    }
  }
  return count;
}

/** The readable part of a sealed bucket, for tools that read a folder. */
export function openSealed(
  kv: Pick<Kv, "get" | "keys">,
  bucket: string,
  sealer: Sealer,
): Pick<Kv, "get" | "keys"> {
  return {
    get: async (key) => openEntry(await kv.get(key), { sealer, bucket }),
    keys: (prefix) => kv.keys(prefix),
  };
}

interface Place extends SealedEngineOptions {
  bucket: string;
  unreadable: "absent" | "fail";
}

class SealedKv implements Kv {
  readonly #kv: Kv;
  readonly #place: Place;

  constructor(kv: Kv, place: Place) {
    this.#kv = kv;
    this.#place = place;
  }

  async create(key: string, value: Uint8Array): Promise<number> {
    const sealed = this.#seal(key, value);
    try {
      return await this.#kv.create(key, sealed);
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== "exists") throw error;
      const there = await this.#kv.get(key);
      const isKept = there && (this.#place.unreadable === "fail" || this.#open(there));
      if (!there || isKept) throw error;
      // An unreadable value counts as absent here too, or it would block its key for ever.
      await this.#kv.delete(key, there.revision).catch(() => {
        throw error;
      });
      return this.#kv.create(key, sealed);
    }
  }

  async update(key: string, value: Uint8Array, revision: number): Promise<number> {
    return this.#kv.update(key, this.#seal(key, value), revision);
  }

  async put(key: string, value: Uint8Array): Promise<number> {
    return this.#kv.put(key, this.#seal(key, value));
  }

  async get(key: string): Promise<Entry | undefined> {
    const entry = await this.#kv.get(key);
    const opened = entry && this.#open(entry);
    if (entry && !opened && this.#place.unreadable === "fail") {
      const text = `The value of "${key}" in "${this.#place.bucket}" can't be opened: it was written by someone else or with another key.`;
      throw new EngineError("corrupt", text);
    }
    return opened;
  }

  async delete(key: string, revision?: number): Promise<void> {
    return this.#kv.delete(key, revision);
  }

  keys(prefix?: string): AsyncIterable<string> {
    return this.#kv.keys(prefix);
  }

  watch(fn: (change: Change) => void, options?: WatchOptions): () => void {
    const unreadable = this.#place.unreadable === "fail" ? "unreadable" : "deleted";
    return this.#kv.watch((change) => {
      const entry = change.entry && this.#open(change.entry);
      if (entry) fn({ ...change, entry });
      else fn({ ...change, entry: undefined, reason: change.entry ? unreadable : change.reason });
    }, options);
  }

  #seal(key: string, value: Uint8Array): Uint8Array {
    const { sealer, bucket } = this.#place;
    return sealer.sealBytes(value, bindingOf(bucket, key));
  }

  #open(entry: Entry): Entry | undefined {
    const opened = openEntry(entry, this.#place);
    if (!opened) this.#place.onUnreadable?.({ bucket: this.#place.bucket, key: entry.key });
    return opened;
  }
}

function openEntry(
  entry: Entry | undefined,
  { sealer, bucket }: { sealer: Sealer; bucket: string },
): Entry | undefined {
  if (!entry) return undefined;
  const value = sealer.openBytes(entry.value, bindingOf(bucket, entry.key));
  return value && { ...entry, value };
}

function bindingOf(bucket: string, key: string): readonly string[] {
  return [PURPOSE, bucket, key];
}
