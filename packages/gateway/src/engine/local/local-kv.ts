import type { BucketOptions, Change, Entry, Kv, WatchOptions } from "../engine.ts";
import { checkSize, closedError, EngineError } from "../engine-error.ts";
import { checkBucket, checkKey } from "../names.ts";
import type { KvTable, Write } from "./kv-table.ts";

type BucketSettings = Required<Pick<BucketOptions, "ttl" | "durable">>;

/** The storage of a bucket in one process. */
export interface Bucket {
  readonly table: KvTable;
  readonly options: BucketSettings;
  /** Commits a write and resolves to its revision once it is durable. */
  commit(write: Write): Promise<number>;
}

/** A bucket of one process. */
export class LocalKv implements Kv {
  readonly #bucket: Bucket;
  readonly #maxBytes: number;
  readonly #isClosed: () => boolean;

  constructor(
    bucket: Bucket,
    { maxBytes, isClosed }: { maxBytes: number; isClosed: () => boolean },
  ) {
    this.#bucket = bucket;
    this.#maxBytes = maxBytes;
    this.#isClosed = isClosed;
  }

  async create(key: string, value: Uint8Array): Promise<number> {
    return this.#write({ kind: "create", key, value });
  }

  async update(key: string, value: Uint8Array, revision: number): Promise<number> {
    return this.#write({ kind: "update", key, value, revision });
  }

  async put(key: string, value: Uint8Array): Promise<number> {
    return this.#write({ kind: "put", key, value });
  }

  async get(key: string): Promise<Entry | undefined> {
    this.#check(key);
    return this.#bucket.table.get(key);
  }

  async delete(key: string, revision?: number): Promise<void> {
    await this.#write({ kind: "delete", key, revision });
  }

  async *keys(prefix = ""): AsyncGenerator<string> {
    if (this.#isClosed()) throw closedError();
    const { table } = this.#bucket;
    for (const key of table.keys(prefix)) {
      if (table.revisionOf(key) !== undefined) yield key;
    }
  }

  watch(fn: (change: Change) => void, options: WatchOptions = {}): () => void {
    if (this.#isClosed()) throw closedError();
    return this.#bucket.table.watch(fn, options);
  }

  async #write(write: Write): Promise<number> {
    this.#check(write.key);
    if (write.kind === "delete") return this.#bucket.commit(write);
    checkSize(`The value of "${write.key}"`, write.value.length, this.#maxBytes);
    return this.#bucket.commit({ ...write, value: new Uint8Array(write.value) });
  }

  #check(key: string): void {
    if (this.#isClosed()) throw closedError();
    checkKey(key);
  }
}

/** The buckets of one process, each opened once. */
export class Buckets {
  readonly #open = new Map<string, { kv: LocalKv; bucket: Bucket }>();
  readonly #make: (name: string, options: BucketOptions) => Bucket;
  readonly #limits: { maxBytes: number; isClosed: () => boolean };

  constructor(
    make: (name: string, options: BucketOptions) => Bucket,
    limits: { maxBytes: number; isClosed: () => boolean },
  ) {
    this.#make = make;
    this.#limits = limits;
  }

  kv(name: string, options: BucketOptions = {}): Kv {
    if (this.#limits.isClosed()) throw closedError();
    checkBucket(name);
    if (options.ttl !== undefined) checkTtl(options.ttl);
    let opened = this.#open.get(name);
    if (!opened) {
      const bucket = this.#make(name, options);
      opened = { bucket, kv: new LocalKv(bucket, this.#limits) };
      this.#open.set(name, opened);
    }
    checkOptions(name, options, opened.bucket.options);
    return opened.kv;
  }

  close(): void {
    for (const { bucket } of this.#open.values()) bucket.table.close();
  }
}

function checkOptions(name: string, wanted: BucketOptions, has: BucketSettings): void {
  for (const option of ["ttl", "durable"] as const) {
    if (wanted[option] === undefined || wanted[option] === has[option]) continue;
    const text = `The bucket "${name}" has ${option} ${has[option]}, not ${wanted[option]}. Use the same everywhere.`;
    throw new EngineError("invalid", text);
  }
}

function checkTtl(ttl: number): void {
  if (ttl > 0) return;
  throw new EngineError("invalid", `A time to live of ${ttl} ms isn't valid. Use 1 or more.`);
}
