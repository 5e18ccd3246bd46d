// What the gateway asks of whatever holds its state: one process's memory, a folder, a cluster. Four
// small stores and a statement of what they can do. The promises below are what every driver keeps
// (`@vitrine/testing/engine-contract`), and no more than NATS JetStream can: compare-and-set by revision,
// one time to live for a bucket, "nobody there" at once, ids against doubles, consumers that go on.
//
// Times are milliseconds. Names of keys, addresses and subjects are tokens of `A–Z a–z 0–9 _ = -` with
// dots between them, 256 characters at most; buckets, groups and partitions are lower-case (`names.ts`).

/** Where a gateway keeps what must outlive a call. */
export interface Engine {
  readonly bus: Bus;
  readonly log: Log;
  readonly blob: BlobStore;
  readonly caps: Caps;
  /** A bucket of keys; it exists from then on. Later callers may leave the options out, not change them. */
  kv(bucket: string, options?: BucketOptions): Kv;
  /** Everything acknowledged is safe, everything else fails with `closed`. */
  close(): Promise<void>;
}

/** What a driver can do. */
export interface Caps {
  readonly driver: string;
  readonly version: string;
  /** `create` takes a time to live of its own. */
  readonly perKeyTtl: boolean;
  /** A watcher hears of what expired. Without it, ask. */
  readonly expiryEvents: boolean;
  /** What is acknowledged survives a loss of power, not only of the process. */
  readonly fsyncBeforeAck: boolean;
  /** Other processes see the same state. */
  readonly shared: boolean;
  /** Largest value, message, and sum of a batch; what is larger belongs into a blob. */
  readonly maxBytes: number;
  /** How long `append` remembers an id. */
  readonly dedupeTime: number;
}

/** Messages between processes, at most once. */
export interface Bus {
  /**
   * Asks one of those who serve an address. Fails with `no-responders` at once when there is none, with
   * `timeout` after `deadline`, and with `unavailable` when it failed there: what went wrong belongs into the
   * answer.
   */
  request(address: string, body: Uint8Array, options: { deadline: number }): Promise<Uint8Array>;
  /** Answers requests; of several who serve an address, one gets each request. Returns its undo. */
  serve(address: string, fn: (body: Uint8Array) => Promise<Uint8Array>): () => void;
  /** Tells all subscribers, those in this process included; never before it returns. */
  publish(subject: string, body: Uint8Array): void;
  /** Hears what is published; `*` stands for one token, `>` at the end for all that follow. Returns its undo. */
  subscribe(subject: string, fn: (body: Uint8Array, subject: string) => void): () => void;
}

/** A value and when it was written. */
export interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
  readonly revision: number;
}

/** What became of a key. */
export interface Change {
  readonly key: string;
  /** Nothing once it is gone. */
  readonly entry: Entry | undefined;
  readonly reason: "put" | "deleted" | "expired";
}

/**
 * Keys and values. Each write gets a higher revision than any before it in the bucket, across deletion,
 * expiry and restart: the revision of a lease is its fencing token.
 */
export interface Kv {
  /** Fails with `exists`. */
  create(key: string, value: Uint8Array, options?: { ttl?: number }): Promise<number>;
  /** Fails with `conflict` unless the key is at that revision. */
  update(key: string, value: Uint8Array, revision: number): Promise<number>;
  put(key: string, value: Uint8Array): Promise<number>;
  get(key: string): Promise<Entry | undefined>;
  /** With a revision it fails with `conflict` unless the key is there: of two who delete, one did. */
  delete(key: string, revision?: number): Promise<void>;
  keys(prefix?: string): AsyncIterable<string>;
  /**
   * Hears first what is there, then `onReady`, then each change in its order. Of a key that changed often,
   * values in between may be left out, never the last. Returns its undo.
   */
  watch(fn: (change: Change) => void, options?: WatchOptions): () => void;
}

/** What to watch. */
export interface WatchOptions {
  prefix?: string;
  /** Leaves out what is there already. */
  fromNow?: boolean;
  /** All that was there has been told: a cache that answers before this answers wrong. */
  onReady?: () => void;
}

/** How a bucket keeps. */
export interface BucketOptions {
  /** Milliseconds after its last write at which a key is gone. */
  ttl?: number;
  /** Whether it outlives a restart of the engine; if not, its revisions do go on rising. */
  durable?: boolean;
  /**
   * How a sealed bucket answers `get` for a value that doesn't open: as if the key was absent, the default,
   * or by failing with `corrupt`, where absence itself permits something.
   */
  unreadable?: "absent" | "fail";
}

/** A record in its place; places rise within a partition, and need not be neighbours. */
export interface LogRecord {
  readonly sequence: number;
  readonly record: Uint8Array;
}

/** Where a batch was put. */
export interface Appended {
  readonly first: number;
  readonly last: number;
  /** It had been appended before, under the same id. */
  readonly duplicate: boolean;
}

/** Records, at least once, ordered within a partition. */
export interface Log {
  /**
   * Appends all of a batch or nothing, and resolves when it is as safe as `caps` say. Who does not hear the
   * answer appends again with the same `id`. The bytes are the caller's again when it settles.
   */
  append(
    partition: string,
    batch: readonly Uint8Array[],
    options?: { id?: string },
  ): Promise<Appended>;
  /** From a place to what is the end now. */
  read(partition: string, from?: number): AsyncIterable<LogRecord>;
  /** The first and the last place; nothing when it is empty. */
  bounds(partition: string): Promise<{ first: number; last: number } | undefined>;
  /**
   * Hands all records, also those to come, to one consumer of a group at a time. A batch counts as done when
   * `fn` resolves; it comes again when `fn` rejects, or when the process ended before. Returns its undo.
   */
  consume(
    group: string,
    partition: string,
    fn: (batch: readonly LogRecord[]) => Promise<void>,
  ): () => void;
  /** Lets go of records before a place, as many as are easily let go of. */
  trim(partition: string, before: number): Promise<void>;
  /** About how many bytes a partition takes, where the engine knows. */
  bytes?(partition: string): Promise<number>;
}

/** Bytes by their hash. */
export interface BlobStore {
  /** Resolves to the SHA-256 in hexadecimal. */
  put(bytes: Uint8Array): Promise<string>;
  get(sha256: string): Promise<Uint8Array | undefined>;
  has(sha256: string): Promise<boolean>;
  /** Deletes a blob; nothing happens if there is none. */
  delete(sha256: string): Promise<void>;
  /**
   * Lets go of what nobody has put since a moment, in milliseconds since 1970; resolves to how many. Who wants
   * to keep something puts it again. Missing where the engine cannot.
   */
  sweep?(before: number): Promise<number>;
}

/** What can go wrong with an engine. */
export type EngineErrorCode =
  | "exists" // `create` of a key that is there
  | "conflict" // the key is not at that revision
  | "no-responders" // nobody serves the address
  | "timeout" // no answer in time; whether it was done is unknown
  | "closed" // the engine was closed
  | "full" // no room: nothing was stored
  | "corrupt" // what is stored is not what was written
  | "locked" // another process has the folder
  | "unavailable" // the engine cannot do it now
  | "too-large" // more than `caps.maxBytes`
  | "invalid"; // a name, option or batch that no engine takes
