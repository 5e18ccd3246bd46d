// An engine in one SQLite database, for one process: durable, without a server to run.
//
// The main thread reads and keeps the key-value store in memory; a thread of its own commits
// (`commit-worker.ts`). `folder-owner.ts` keeps other processes out.

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { BucketOptions, Engine } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import { Dispatch } from "../local/dispatch.ts";
import { KvTable } from "../local/kv-table.ts";
import { type Bucket, Buckets } from "../local/local-kv.ts";
import { memoryBucket } from "../memory/memory-engine.ts";
import { CommitQueue } from "./commit-queue.ts";
import { checkFileSystem, createSchema, databasePath, openDatabase } from "./database.ts";
import { claimFolder, describeOwnerOf, lockFolder } from "./folder-owner.ts";
import { SqliteBlobs } from "./sqlite-blobs.ts";
import { loadTables, SqliteBucket } from "./sqlite-bucket.ts";
import { damagedError, sqliteError } from "./sqlite-error.ts";
import { SqliteLog } from "./sqlite-log.ts";

/** How an engine in a folder is opened. */
export interface SqliteEngineOptions {
  /** Created if it's missing; only this user may read it. */
  folder: string;
  /** Largest value, message or batch, 1 MiB by default. */
  maxBytes?: number;
  /** Bytes of a partition of the log; beyond, `full`. Only the disk limits it by default. */
  maxLogBytes?: number;
  /** How long `append` remembers an id, one minute by default. */
  dedupeTime?: number;
  /** SQL that creates views for people who query the database. */
  views?: string;
  /** Bytes kept free so that the log can be trimmed when the disk is full, 8 MiB by default. */
  reserveBytes?: number;
  /** Called with what an operator should know. */
  onNotice?(notice: EngineNotice): void;
  /** Called with what a watcher threw. */
  onError?(error: unknown): void;
}

/** Something an operator should know. */
export interface EngineNotice {
  /** The owner before ended without releasing the folder, or another process took this one's folder. */
  readonly kind: "taken-over" | "lost";
  readonly text: string;
}

// Revisions a bucket may give between two starts, if it isn't durable.
const GENERATION = 2 ** 32;

/** Opens an engine in a folder; fails with `locked` if another process has it. */
export async function openSqliteEngine(options: SqliteEngineOptions): Promise<Engine> {
  const { folder, views = "", onNotice = () => {} } = options;
  const path = databasePath(folder);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    checkFileSystem(folder);
    checkFormerData(folder);
  } catch (error) {
    throw sqliteError(folder, error);
  }
  const unlock = lockFolder(folder, () => describeOwnerOf(path));
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase(path);
    createSchema(database, views);
    const generation = await claimFolder(database, {
      folder,
      onNotice: (text) => onNotice({ kind: "taken-over", text }),
    });
    checkTables(path, database);
    return await openOwned(options, { database, generation, unlock });
  } catch (error) {
    database?.close();
    unlock();
    throw sqliteError(path, error);
  }
}

interface Owned {
  database: DatabaseSync;
  generation: number;
  unlock(): void;
}

async function openOwned(options: SqliteEngineOptions, owned: Owned): Promise<Engine> {
  const { folder, maxBytes = 2 ** 20, maxLogBytes = Number.POSITIVE_INFINITY } = options;
  const { dedupeTime = 60_000, reserveBytes = 8 * 2 ** 20 } = options;
  const { onNotice = () => {}, onError = () => {} } = options;
  const { database, generation, unlock } = owned;
  const path = databasePath(folder);
  const dispatch = new Dispatch(onError);
  const tables = loadTables(database, { path, dispatch });
  database.exec("PRAGMA query_only = ON");
  const reserve = { path: join(folder, "reserve"), bytes: reserveBytes };
  const onLost = (error: EngineError): void => onNotice({ kind: "lost", text: error.message });
  const queue = await CommitQueue.start(
    { path, generation, maxLogBytes, dedupeTime, reserve },
    onLost,
  );
  const log = new SqliteLog(database, queue, { path, maxBytes });
  const blob = new SqliteBlobs(database, queue, path);
  const durable: SqliteBucket[] = [];
  let closing: Promise<void> | undefined;

  const make = (name: string, wanted: BucketOptions): Bucket => {
    const known = tables.get(name);
    if (!known && !wanted.durable) {
      return memoryBucket(dispatch, wanted, generation * GENERATION);
    }
    const bucket = new SqliteBucket(name, known ?? new KvTable(dispatch), queue);
    bucket.options.ttl = wanted.ttl ?? bucket.options.ttl;
    durable.push(bucket);
    return bucket;
  };
  const buckets = new Buckets(make, { maxBytes, isClosed: () => closing !== undefined });

  const close = async (): Promise<void> => {
    log.close();
    blob.close();
    await Promise.all(durable.map((bucket) => bucket.close()));
    await queue.close();
    buckets.close();
    for (const table of tables.values()) table.close();
    dispatch.clear();
    database.close();
    unlock();
  };
  return {
    ...{ log, blob, caps: { shared: false, maxBytes, dedupeTime } },
    kv: (bucket, wanted) => buckets.kv(bucket, wanted),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Data of the file driver of version 0.1 would be ignored silently. */
function checkFormerData(folder: string): void {
  if (!existsSync(join(folder, "generation"))) return;
  const text = `${folder} holds data of the engine file of version 0.1, which isn't converted. Use another folder, or move that data away.`;
  throw new EngineError("invalid", text);
}

/** The key-value store is read as a whole, so it's checked as a whole. The log has its own proofs. */
function checkTables(path: string, database: DatabaseSync): void {
  for (const table of ["owner", "kv_buckets", "kv"]) {
    const [row] = database.prepare(`PRAGMA quick_check('${table}')`).all();
    const result = String(Object.values(row ?? {})[0]);
    if (result !== "ok") throw damagedError(path, result);
  }
}
