import type { BucketOptions, Change, Entry, Kv, WatchOptions } from "@vitrine/gateway/engine";
import {
  checkBucket,
  checkKey,
  checkSize,
  closedError,
  EngineError,
} from "@vitrine/gateway/engine";
import { type BucketPlace, checkOptions, ensureBucket, MARK_SECONDS, placeOf } from "./buckets.ts";
import type { Connection } from "./connection.ts";
import { isMark, writeHeaders } from "./kv-entries.ts";
import { listKeys, watchBucket } from "./kv-watch.ts";
import { type ApiError, NO_MESSAGE, rejectedError, WRONG_SEQUENCE } from "./nats-error.ts";

export interface NatsKvOptions {
  prefix: string;
  replicas: number;
  maxBytes: number;
  onError(error: unknown): void;
}

interface Stored {
  readonly value: Uint8Array;
  readonly revision: number;
  readonly isGone: boolean;
}

/** Attempts of a `create` that finds deletion markers; each one means that another process wrote the key. */
const TRIES = 10;

/** The buckets of an engine, each opened once. */
export class NatsBuckets {
  readonly #connection: Connection;
  readonly #options: NatsKvOptions;
  readonly #open = new Map<string, NatsKv>();

  constructor(connection: Connection, options: NatsKvOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  kv(bucket: string, wanted: BucketOptions = {}): Kv {
    if (this.#connection.isClosed) throw closedError();
    checkBucket(bucket);
    if (wanted.ttl !== undefined) checkTtl(wanted.ttl);
    let kv = this.#open.get(bucket);
    if (!kv) {
      kv = new NatsKv(this.#connection, bucket, this.#options);
      this.#open.set(bucket, kv);
    }
    kv.want(wanted);
    return kv;
  }

  close(): void {
    for (const kv of this.#open.values()) kv.close();
  }
}

class NatsKv implements Kv {
  readonly #connection: Connection;
  readonly #bucket: string;
  readonly #place: BucketPlace;
  readonly #options: NatsKvOptions;
  readonly #stops = new Set<() => void>();
  #wanted: BucketOptions = {};
  #opening: Promise<void> | undefined;

  constructor(connection: Connection, bucket: string, options: NatsKvOptions) {
    this.#connection = connection;
    this.#bucket = bucket;
    this.#place = placeOf(options.prefix, bucket);
    this.#options = options;
  }

  /** Adds options. The bucket is created at once, so that other processes find it with these options. */
  want(wanted: BucketOptions): void {
    checkOptions(this.#bucket, wanted, this.#wanted);
    const { ttl = wanted.ttl, durable = wanted.durable } = this.#wanted;
    const isChange = ttl !== this.#wanted.ttl || durable !== this.#wanted.durable;
    if (this.#opening && !isChange) return;
    this.#wanted = {
      ...(ttl !== undefined && { ttl }),
      ...(durable !== undefined && { durable }),
    };
    this.#opening = undefined;
    // The next operation on the bucket reports the error.
    this.#opened().catch(() => {});
  }

  async create(key: string, value: Uint8Array): Promise<number> {
    this.#check(key, value);
    const own = new Uint8Array(value);
    await this.#opened();
    let at = 0;
    for (let tries = 0; tries < TRIES; tries++) {
      const revision = await this.#write(key, own, { at });
      if (revision !== undefined) return revision;
      const stored = await this.#read(key);
      if (stored && !stored.isGone) {
        const text = `The key "${key}" exists at revision ${stored.revision}. Update it, or use another key.`;
        throw new EngineError("exists", text);
      }
      at = stored?.revision ?? 0;
    }
    throw new EngineError(
      "exists",
      `Other processes keep creating and deleting the key "${key}". Try again.`,
    );
  }

  async update(key: string, value: Uint8Array, revision: number): Promise<number> {
    this.#check(key, value);
    const own = new Uint8Array(value);
    await this.#opened();
    // NATS accepts 0, which means that the key doesn't exist, so 0 is rejected here.
    const done = revision > 0 ? await this.#write(key, own, { at: revision }) : undefined;
    if (done === undefined) throw conflictError(key, revision);
    return done;
  }

  async put(key: string, value: Uint8Array): Promise<number> {
    this.#check(key, value);
    const own = new Uint8Array(value);
    await this.#opened();
    const revision = await this.#write(key, own, {});
    if (revision === undefined) throw conflictError(key, 0);
    return revision;
  }

  async get(key: string): Promise<Entry | undefined> {
    this.#check(key);
    await this.#opened();
    const stored = await this.#read(key);
    if (!stored || stored.isGone) return undefined;
    return { key, value: stored.value, revision: stored.revision };
  }

  async delete(key: string, revision?: number): Promise<void> {
    this.#check(key);
    await this.#opened();
    if (revision !== undefined && !(revision > 0)) throw conflictError(key, revision);
    const options = { at: revision, seconds: MARK_SECONDS, isDelete: true };
    const done = await this.#write(key, new Uint8Array(), options);
    if (done === undefined) throw conflictError(key, revision ?? 0);
  }

  async *keys(prefix = ""): AsyncGenerator<string> {
    if (this.#connection.isClosed) throw closedError();
    await this.#opened();
    yield* await listKeys(this.#connection, this.#place, prefix);
  }

  watch(fn: (change: Change) => void, options: WatchOptions = {}): () => void {
    if (this.#connection.isClosed) throw closedError();
    const stop = watchBucket(this.#connection, this.#place, {
      ...options,
      opened: () => this.#opened(),
      onChange: fn,
      onError: this.#options.onError,
    });
    this.#stops.add(stop);
    return () => {
      this.#stops.delete(stop);
      stop();
    };
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #opened(): Promise<void> {
    this.#opening ??= ensureBucket(this.#connection, this.#place, {
      bucket: this.#bucket,
      wanted: this.#wanted,
      replicas: this.#options.replicas,
    }).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** The revision of a write; `undefined` if the key wasn't at the expected revision. */
  async #write(
    key: string,
    value: Uint8Array,
    options: Parameters<typeof writeHeaders>[0],
  ): Promise<number | undefined> {
    const what = `Writing the key "${key}" of "${this.#bucket}"`;
    const hdrs = writeHeaders(options);
    const request = { what, data: value, ...(hdrs && { headers: hdrs }) };
    const msg = await this.#connection.request(this.#place.subject + key, request);
    const { error, seq } = msg.json<{ error?: ApiError; seq: number }>();
    if (!error) return seq;
    if (WRONG_SEQUENCE.has(error.err_code ?? 0)) return undefined;
    throw rejectedError(what, error);
  }

  async #read(key: string): Promise<Stored | undefined> {
    const what = `Reading the key "${key}" of "${this.#bucket}"`;
    const answer = await this.#connection.api<{
      message: { seq: number; hdrs?: string; data?: string };
    }>(`STREAM.MSG.GET.${this.#place.stream}`, { last_by_subj: this.#place.subject + key }, what);
    if (answer.error?.err_code === NO_MESSAGE) return undefined;
    if (answer.error) throw rejectedError(what, answer.error);
    const { seq, hdrs, data = "" } = answer.message;
    return {
      value: new Uint8Array(Buffer.from(data, "base64")),
      revision: seq,
      isGone: isMark(hdrs),
    };
  }

  #check(key: string, value?: Uint8Array): void {
    if (this.#connection.isClosed) throw closedError();
    checkKey(key);
    if (value) checkSize(`The value of "${key}"`, value.length, this.#options.maxBytes);
  }
}

function conflictError(key: string, revision: number): EngineError {
  const text = `The key "${key}" isn't at revision ${revision}. Read it again.`;
  return new EngineError("conflict", text);
}

function checkTtl(ttl: number): void {
  if (ttl > 0) return;
  throw new EngineError("invalid", `The TTL ${ttl} ms isn't valid. Use 1 or more.`);
}
