import { hash } from "node:crypto";
import type { BlobStore, BucketOptions, Engine } from "../engine.ts";
import { closedError } from "../engine-error.ts";
import { Dispatch } from "../local/dispatch.ts";
import { KvTable, refusalOf } from "../local/kv-table.ts";
import { type Bucket, Buckets } from "../local/local-kv.ts";
import { checkSha256 } from "../names.ts";
import { MemoryLog } from "./memory-log.ts";

/** The options of an in-memory engine. */
export interface MemoryEngineOptions {
  /** Maximum bytes of a value, message or batch. Defaults to 1 MiB, like common brokers. */
  maxBytes?: number;
  /** Maximum bytes of a partition of the log. Defaults to 64 MiB. Beyond that, appends fail with `full`. */
  maxLogBytes?: number;
  /** How long `append` remembers an id. Defaults to one minute. */
  dedupeTime?: number;
  /** Called with errors that a watcher threw. */
  onError?(error: unknown): void;
}

/** An engine for tests and trials. It loses everything when the process ends. */
export function createMemoryEngine(options: MemoryEngineOptions = {}): Engine {
  const { maxBytes = 2 ** 20, maxLogBytes = 2 ** 26, dedupeTime = 60_000 } = options;
  const onError = options.onError ?? (() => {});
  let isClosed = false;
  const dispatch = new Dispatch(onError);
  const log = new MemoryLog({ maxBytes, maxLogBytes, dedupeTime });
  const make = (_: string, wanted: BucketOptions): Bucket => memoryBucket(dispatch, wanted);
  const buckets = new Buckets(make, { maxBytes, isClosed: () => isClosed });
  return {
    log,
    blob: memoryBlobs(() => isClosed),
    caps: { shared: false, maxBytes, dedupeTime },
    kv: (bucket, wanted) => buckets.kv(bucket, wanted),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      log.close();
      buckets.close();
      dispatch.clear();
    },
  };
}

/** A bucket that is lost with the process. Its revisions start after `revision`. */
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
        table.set(key, write.value, { revision: table.revision, ttl });
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
      const kept = blobs.get(sha256)?.bytes ?? new Uint8Array(bytes);
      blobs.set(sha256, { bytes: kept, put: Date.now() });
      return sha256;
    },
    get: async (sha256) => {
      check(sha256);
      const kept = blobs.get(sha256);
      return kept && new Uint8Array(kept.bytes);
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
