// An engine in a folder, for one process: durable, without a server to run beside it.
//
//   lock             who has the folder
//   generation       how often it was opened: where revisions of buckets that are not kept begin
//   kv/<bucket>.journal
//   log/<partition>/<first record>.segment, offsets.journal
//   blob/<ab>/<sha256>

import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BucketOptions, Caps, Engine } from "../engine.ts";
import { EngineError } from "../errors.ts";
import { Dispatch } from "../local/dispatch.ts";
import { LocalBus } from "../local/local-bus.ts";
import { type Bucket, Buckets } from "../local/local-kv.ts";
import { memoryBucket } from "../memory/memory-engine.ts";
import { corruptError, diskError, isMissing } from "./disk-error.ts";
import { DurableBucket } from "./durable-bucket.ts";
import { FileBlobs } from "./file-blobs.ts";
import { FileLog } from "./file-log.ts";
import { lockFolder } from "./folder-lock.ts";
import { type Notice, syncFolder } from "./frame-file.ts";

/** How an engine in a folder is opened. */
export interface FileEngineOptions {
  /** Made if it is not there; nobody but this user may look into it. */
  folder: string;
  /** Largest value, message or batch; 1 MiB, as brokers have it, 8 MiB at most. */
  maxBytes?: number;
  /** Bytes of a partition of the log; beyond, `full`. No limit but the disk. */
  maxLogBytes?: number;
  /** Bytes of one file of the log, 16 MiB: what `trim` lets go of at once. */
  segmentBytes?: number;
  /** How long `append` remembers an id, one minute. */
  dedupeTime?: number;
  /** What an operator should know: a torn tail, a lock taken over. */
  onNotice?(notice: Notice): void;
  /** What a subscriber, watcher or consumer threw. */
  onError?(error: unknown): void;
}

const LARGEST = 8 * 2 ** 20;
// Revisions a bucket may give between two starts, if it is not kept.
const GENERATION = 2 ** 32;
const JOURNAL = ".journal";

/** Opens an engine in a folder. */
export async function openFileEngine(options: FileEngineOptions): Promise<Engine> {
  const { folder, maxBytes = 2 ** 20, onNotice = () => {} } = options;
  if (maxBytes > LARGEST) {
    throw new EngineError(
      "invalid",
      `maxBytes is ${maxBytes}; a file engine takes up to ${LARGEST}.`,
    );
  }
  try {
    for (const part of ["kv", "log", "blob"]) {
      await mkdir(join(folder, part), { recursive: true, mode: 0o700 });
    }
    await syncFolder(folder);
  } catch (error) {
    throw diskError(folder, error);
  }
  const release = await lockFolder(folder, onNotice);
  try {
    return await openLocked({ ...options, maxBytes, onNotice }, release);
  } catch (error) {
    await release();
    throw diskError(folder, error);
  }
}

async function openLocked(
  options: FileEngineOptions & { maxBytes: number; onNotice(notice: Notice): void },
  release: () => Promise<void>,
): Promise<Engine> {
  const { folder, maxBytes, onNotice } = options;
  const { maxLogBytes = Number.POSITIVE_INFINITY, segmentBytes = 16 * 2 ** 20 } = options;
  const { dedupeTime = 60_000, onError = () => {} } = options;
  const generation = await nextGeneration(folder);
  const dispatch = new Dispatch(onError);
  const blob = await FileBlobs.open(join(folder, "blob"));
  const journals = await openJournals(join(folder, "kv"), dispatch, onNotice);
  const log = await FileLog.open(join(folder, "log"), {
    ...{ dispatch, maxBytes, maxLogBytes, segmentBytes, dedupeTime, onNotice, onError },
  }).catch(async (error: unknown) => {
    await journals.close();
    throw error;
  });
  const bus = new LocalBus(dispatch, { maxBytes });
  let closing: Promise<void> | undefined;

  const make = (name: string, wanted: BucketOptions): Bucket => {
    const kept = journals.get(name);
    const { durable = kept !== undefined } = wanted;
    if (!durable && !kept) return memoryBucket(dispatch, wanted, generation * GENERATION);
    const bucket = kept ?? journals.make(name);
    bucket.options.ttl = wanted.ttl ?? bucket.options.ttl;
    return bucket;
  };
  const buckets = new Buckets(make, { maxBytes, isClosed: () => closing !== undefined });

  const close = async (): Promise<void> => {
    bus.close();
    await Promise.all([journals.close(), log.close(), blob.close()]);
    buckets.close();
    dispatch.clear();
    await release();
  };
  const kv: Engine["kv"] = (bucket, wanted) => buckets.kv(bucket, wanted);
  return {
    ...{ bus, log, blob, kv, caps: capsOf(maxBytes, dedupeTime) },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function capsOf(maxBytes: number, dedupeTime: number): Caps {
  return {
    driver: "file",
    version: "1",
    perKeyTtl: true,
    expiryEvents: true,
    fsyncBeforeAck: true,
    shared: false,
    maxBytes,
    dedupeTime,
  };
}

interface Journals {
  get(name: string): DurableBucket | undefined;
  make(name: string): DurableBucket;
  close(): Promise<void>;
}

async function openJournals(
  folder: string,
  dispatch: Dispatch,
  onNotice: (notice: Notice) => void,
): Promise<Journals> {
  const open = new Map<string, DurableBucket>();
  const journals: Journals = {
    get: (name) => open.get(name),
    make: (name) => {
      const bucket = DurableBucket.begin(join(folder, name + JOURNAL), dispatch);
      open.set(name, bucket);
      return bucket;
    },
    close: async () => {
      await Promise.all([...open.values()].map((bucket) => bucket.close()));
    },
  };
  try {
    for (const file of await readdir(folder)) {
      const path = join(folder, file);
      // A rewrite that a crash ended before it took its place.
      if (file.endsWith(`${JOURNAL}.new`)) await rm(path, { force: true });
      if (!file.endsWith(JOURNAL)) continue;
      const bucket = await DurableBucket.open(path, dispatch, { mayBeTorn: true, onNotice });
      open.set(file.slice(0, -JOURNAL.length), bucket);
    }
    return journals;
  } catch (error) {
    await journals.close();
    throw error;
  }
}

// Counts the starts, so that a revision given by a bucket that was lost is never given again.
async function nextGeneration(folder: string): Promise<number> {
  const path = join(folder, "generation");
  const text = await readFile(path, "latin1").catch((error: unknown) => {
    if (isMissing(error)) return "0";
    throw diskError(path, error);
  });
  const last = Number(text);
  if (!/^\d{1,6}$/.test(text)) throw corruptError(path, 0, "it holds no count of starts");
  await writeFile(`${path}.new`, String(last + 1), { flush: true, mode: 0o600 });
  await rename(`${path}.new`, path);
  await syncFolder(folder);
  return last + 1;
}
