// The interface of the gateway's storage: the memory of one process, a folder, or a cluster. It has three small
// stores and a description of their capabilities; an engine that several processes share also has a bus. Every
// driver keeps the guarantees below (`@vitrine/internal/engine-contract`), which are limited to what NATS
// JetStream can do: compare-and-set by revision, one time to live per bucket, an immediate error if nobody
// serves an address, and ids against duplicates.
//
// Times are milliseconds. Names of keys, addresses and subjects are tokens of `A–Z a–z 0–9 _ = -` with
// dots between them, 256 characters at most; buckets, groups and partitions are lower-case (`names.ts`).

/** Stores data that must outlive a call. */
export interface Engine {
  readonly log: Log;
  readonly blob: BlobStore;
  readonly caps: Caps;
  /** Opens a bucket, and creates it if necessary. Later callers may omit the options but not change them. */
  kv(bucket: string, options?: BucketOptions): Kv;
  /** Everything acknowledged is durable. Everything else fails with `closed`. */
  close(): Promise<void>;
}

/** An engine that several processes use. It also carries messages between them. */
export interface SharedEngine extends Engine {
  readonly bus: Bus;
}

/** The capabilities of a driver. */
export interface Caps {
  /** Other processes see the same state. */
  readonly shared: boolean;
  /** Maximum bytes of a value, a message or a batch. Larger data belongs in a blob. */
  readonly maxBytes: number;
  /** How long `append` remembers an id. */
  readonly dedupeTime: number;
}

/** Messages between processes, at most once. */
export interface Bus {
  /**
   * Sends a request to one of the servers of an address. Rejects immediately with `no-responders` if there is
   * none, with `timeout` after `deadline`, and with `unavailable` if the server failed. Expected errors
   * belong in the response.
   */
  request(address: string, body: Uint8Array, options: { deadline: number }): Promise<Uint8Array>;
  /** Serves requests. Each request goes to one of the servers of an address. Returns an unsubscribe function. */
  serve(address: string, fn: (body: Uint8Array) => Promise<Uint8Array>): () => void;
  /** Publishes to all subscribers, including those in this process, but never before it returns. */
  publish(subject: string, body: Uint8Array): void;
  /**
   * Subscribes to a subject. `*` matches one token, `>` at the end all that follow. Returns an unsubscribe
   * function.
   */
  subscribe(subject: string, fn: (body: Uint8Array, subject: string) => void): () => void;
}

/** A value and its revision. */
export interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
  readonly revision: number;
}

/** A change of a key. */
export interface Change {
  readonly key: string;
  /** Undefined if the key was deleted. */
  readonly entry: Entry | undefined;
  /** `unreadable` only in a sealed bucket that fails for such values. */
  readonly reason: "put" | "deleted" | "expired" | "unreadable";
}

/**
 * Keys and values. Each write gets a higher revision than any before it in the bucket, across deletion,
 * expiry and restart: the revision of a lease is its fencing token.
 */
export interface Kv {
  /** Fails with `exists`. */
  create(key: string, value: Uint8Array): Promise<number>;
  /** Fails with `conflict` unless the key is at that revision. */
  update(key: string, value: Uint8Array, revision: number): Promise<number>;
  put(key: string, value: Uint8Array): Promise<number>;
  get(key: string): Promise<Entry | undefined>;
  /**
   * With a revision, rejects with `conflict` unless the key is at that revision: if two callers delete, one
   * succeeds.
   */
  delete(key: string, revision?: number): Promise<void>;
  keys(prefix?: string): AsyncIterable<string>;
  /**
   * Calls `fn` for each existing key, then `onReady`, then `fn` for each change in order. Intermediate values
   * of a key that changes often may be skipped, but never the last. Returns an unsubscribe function.
   */
  watch(fn: (change: Change) => void, options?: WatchOptions): () => void;
}

/** How to watch a bucket. */
export interface WatchOptions {
  /** Skips existing keys. */
  fromNow?: boolean;
  /** Called after all existing keys were reported. A cache that answers earlier is incomplete. */
  onReady?: () => void;
}

/** The options of a bucket. */
export interface BucketOptions {
  /** Milliseconds after its last write when a key expires. */
  ttl?: number;
  /** Whether it survives a restart of the engine. If not, its revisions still continue to rise. */
  durable?: boolean;
  /**
   * How a sealed bucket handles a value that doesn't open: as if the key were absent (default), or `get`
   * rejects with `corrupt` and `watch` reports `unreadable`, for cases where absence permits something.
   */
  unreadable?: "absent" | "fail";
}

/** A record and its position. Positions rise within a partition but needn't be consecutive. */
export interface LogRecord {
  readonly sequence: number;
  readonly record: Uint8Array;
}

/** The position of an appended batch. */
export interface Appended {
  readonly first: number;
  readonly last: number;
  /** The batch was appended before under the same id. */
  readonly duplicate: boolean;
}

/** Records, at least once, ordered within a partition. */
export interface Log {
  /**
   * Appends a whole batch or nothing, and resolves when it is as durable as `caps` state. A caller that
   * doesn't get the response appends again with the same `id`. The caller may reuse the bytes once the
   * promise settles.
   */
  append(
    partition: string,
    batch: readonly Uint8Array[],
    options?: { id?: string },
  ): Promise<Appended>;
  /** Reads from a position to the current end. */
  read(partition: string, from?: number): AsyncIterable<LogRecord>;
  /** The first and last position. Undefined if the partition is empty. */
  bounds(partition: string): Promise<{ first: number; last: number } | undefined>;
  /** Deletes records before a position, as far as that is efficient. */
  trim(partition: string, before: number): Promise<void>;
  /** Approximate bytes of a partition, if the engine can tell. */
  bytes?(partition: string): Promise<number>;
}

/** Blobs, addressed by their hash. */
export interface BlobStore {
  /** Resolves to the SHA-256 in hexadecimal. */
  put(bytes: Uint8Array): Promise<string>;
  get(sha256: string): Promise<Uint8Array | undefined>;
  has(sha256: string): Promise<boolean>;
  /** Deletes a blob. Does nothing if there is none. */
  delete(sha256: string): Promise<void>;
  /**
   * Deletes blobs that weren't put since a time in milliseconds since 1970. Resolves to their number. To keep
   * a blob, put it again. Missing if the engine doesn't support it.
   */
  sweep?(before: number): Promise<number>;
}

/** Why an engine operation failed. */
export type EngineErrorCode =
  | "exists" // `create` of an existing key
  | "conflict" // the key isn't at that revision
  | "no-responders" // nobody serves the address
  | "timeout" // no response in time; the outcome is unknown
  | "closed" // the engine was closed
  | "full" // storage is full; nothing was stored
  | "corrupt" // stored data was changed or damaged
  | "locked" // another process uses the folder
  | "newer-schema" // a newer version wrote the database
  | "unavailable" // the engine is unavailable at the moment
  | "too-large" // more than `caps.maxBytes`
  | "invalid"; // an invalid name, option or batch
