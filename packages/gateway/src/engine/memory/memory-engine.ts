import { hash } from "node:crypto";
import type { BlobStore, BucketOptions, Caps, Engine } from "../engine.ts";
import { closedError } from "../errors.ts";
import { copyOf } from "../local/bytes.ts";
import { Dispatch } from "../local/dispatch.ts";
import { KvTable, refusalOf } from "../local/kv-table.ts";
import { LocalBus } from "../local/local-bus.ts";
import { type Bucket, Buckets } from "../local/local-kv.ts";
import { checkSha256 } from "../names.ts";
import { MemoryLog } from "./memory-log.ts";

/** How an engine in memory is made. */
export interface MemoryEngineOptions {
  /** Largest value, message or batch; 1 MiB, as brokers have it. */
  maxBytes?: number;
  /** Bytes of a partition of the log, 64 MiB; beyond, `full`. */
  maxLogBytes?: number;
  /** How long `append` remembers an id, one minute. */
  dedupeTime?: number;
  /** What a subscriber, watcher or consumer threw. */
  onError?(error: unknown): void;
}

/** An engine for tests and trials: it forgets everything when the process ends. */
export function createMemoryEngine(options: MemoryEngineOptions = {}): Engine {
  const { maxBytes = 2 ** 20, maxLogBytes = 2 ** 26, dedupeTime = 60_000 } = options;
  const onError = options.onError ?? (() => {});
  let isClosed = false;
  const dispatch = new Dispatch(onError);
  const bus = new LocalBus(dispatch, { maxBytes });
  const log = new MemoryLog({ maxBytes, maxLogBytes, dedupeTime, onError });
  const make = (_: string, wanted: BucketOptions): Bucket => memoryBucket(dispatch, wanted);
  const buckets = new Buckets(make, { maxBytes, isClosed: () => isClosed });
  const caps: Caps = {
    driver: "memory",
    version: "1",
    perKeyTtl: true,
    expiryEvents: true,
    fsyncBeforeAck: false,
    shared: false,
    maxBytes,
    dedupeTime,
  };
  return {
    bus,
    log,
    blob: memoryBlobs(() => isClosed),
    caps,
    kv: (bucket, wanted) => buckets.kv(bucket, wanted),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      bus.close();
      log.close();
      buckets.close();
      dispatch.clear();
    },
  };
}

/** A bucket that is gone with the process; its revisions begin after `revision`. */
export function memoryBucket(
  dispatch: Dispatch,
  { ttl = Number.POSITIVE_INFINITY, durable = false }: BucketOptions,
  revision = 0,
): Bucket {
  const table = new KvTable(dispatch, { revision });
  return {
    table,
    options: { ttl, durable },
    commit: async (write) => {
      const { key } = write;
      const refusal = refusalOf(write, table.revisionOf(key));
      if (refusal) throw refusal;
      table.revision += 1;
      if (write.kind === "delete") table.remove(key, "deleted");
      else {
        const own = write.kind === "create" ? write.ttl : undefined;
        table.set(key, write.value, { revision: table.revision, ttl: own ?? ttl });
      }
      return table.revision;
    },
  };
}

function memoryBlobs(isClosed: () => boolean): BlobStore {
  const blobs = new Map<string, { bytes: Uint8Array; put: number }>();
  const check = (sha256?: string): void => {
    if (isClosed()) throw closedError();
    if (sha256 !== undefined) checkSha256(sha256);
  };
  return {
    put: async (bytes) => {
      check();
      const sha256 = hash("sha256", bytes, "hex");
      const kept = blobs.get(sha256)?.bytes ?? copyOf(bytes);
      blobs.set(sha256, { bytes: kept, put: Date.now() });
      return sha256;
    },
    get: async (sha256) => {
      check(sha256);
      const kept = blobs.get(sha256);
      return kept && copyOf(kept.bytes);
    },
    has: async (sha256) => {
      check(sha256);
      return blobs.has(sha256);
    },
    delete: async (sha256) => {
      check(sha256);
      blobs.delete(sha256);
    },
    sweep: async (before) => {
      check();
      const old = [...blobs].filter(([, { put }]) => put < before);
      for (const [sha256] of old) blobs.delete(sha256);
      return old.length;
    },
  };
}
