// A durable bucket: its keys in memory, its writes in the database. A write is visible once it's on the disk,
// so that nobody acts on something that a crash would undo.

import type { DatabaseSync } from "node:sqlite";
import type { EngineError } from "../engine-error.ts";
import type { Dispatch } from "../local/dispatch.ts";
import { KvTable, refusalOf, type Write } from "../local/kv-table.ts";
import type { Bucket } from "../local/local-kv.ts";
import type { CommitQueue } from "./commit-queue.ts";
import { checksumOf, type KvRow, type Operation } from "./operations.ts";
import { damagedError } from "./sqlite-error.ts";

const NEVER = Number.POSITIVE_INFINITY;
/** About what a row takes besides its key and value. */
const ROW_BYTES = 64;

interface Waiting {
  readonly write: Write;
  resolve(revision: number): void;
  reject(error: unknown): void;
}

interface Accepted {
  readonly waiting: Waiting;
  readonly revision: number;
}

interface Refused {
  readonly waiting: Waiting;
  readonly refusal: EngineError;
}

export class SqliteBucket implements Bucket {
  readonly table: KvTable;
  readonly options: Bucket["options"] = { ttl: NEVER, durable: true };
  readonly #name: string;
  readonly #queue: CommitQueue;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(name: string, table: KvTable, queue: CommitQueue) {
    this.#name = name;
    this.table = table;
    this.#queue = queue;
  }

  commit(write: Write): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when every write was answered. */
  async close(): Promise<void> {
    await this.#running;
    this.table.close();
  }

  async #run(): Promise<void> {
    // Writes of the same turn share the transaction.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      try {
        await this.#write(group);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = undefined;
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    const { accepted, refused } = this.#judge(group);
    if (accepted.length > 0) {
      const bytes = accepted.reduce((sum, { waiting }) => sum + sizeOf(waiting.write), 0);
      const operations = accepted.map((each) => this.#operation(each));
      await this.#queue.add(operations, bytes);
    }
    for (const { waiting, revision } of accepted) {
      const { write } = waiting;
      this.table.revision = revision;
      if (write.kind === "delete") this.table.remove(write.key, "deleted");
      else this.table.set(write.key, write.value, { revision, ttl: this.options.ttl });
      waiting.resolve(revision);
    }
    // Conflicts are reported after the commit: if the disk fails, no write of the group has won.
    for (const { waiting, refusal } of refused) waiting.reject(refusal);
  }

  #judge(group: readonly Waiting[]): { accepted: Accepted[]; refused: Refused[] } {
    /** The keys as they will be after this group. */
    const ahead = new Map<string, number | undefined>();
    const accepted: Accepted[] = [];
    const refused: Refused[] = [];
    let { revision } = this.table;
    for (const waiting of group) {
      const { write } = waiting;
      const { key, kind } = write;
      const current = ahead.has(key) ? ahead.get(key) : this.table.revisionOf(key);
      const refusal = refusalOf(write, current);
      if (refusal) {
        refused.push({ waiting, refusal });
        continue;
      }
      revision += 1;
      ahead.set(key, kind === "delete" ? undefined : revision);
      accepted.push({ waiting, revision });
    }
    return { accepted, refused };
  }

  #operation({ waiting: { write }, revision }: Accepted): Operation {
    const { key } = write;
    const bucket = this.#name;
    if (write.kind === "delete") return { kind: "delete", bucket, key, revision };
    const { ttl } = this.options;
    const expires = ttl === NEVER ? null : Math.ceil(Date.now() + ttl);
    return { kind: "set", row: { bucket, key, revision, expires, value: write.value } };
  }
}

/** Reads all durable buckets; fails with `corrupt` if a row isn't what was written. */
export function loadTables(
  database: DatabaseSync,
  { path, dispatch }: { path: string; dispatch: Dispatch },
): Map<string, KvTable> {
  const tables = new Map<string, KvTable>();
  const buckets = database.prepare("SELECT bucket, revision FROM kv_buckets").all();
  for (const { bucket, revision } of buckets as unknown as KvRow[]) {
    tables.set(bucket, new KvTable(dispatch, { revision }));
  }
  for (const row of readRows(database, path)) {
    const { bucket, key, value, revision, expires } = row;
    const ttl = expires === null ? NEVER : expires - Date.now();
    const table = tables.get(bucket);
    if (!table) throw damagedError(path, `the bucket "${bucket}" has keys but no revision`);
    if (ttl > 0) table.set(key, value, { revision, ttl });
  }
  return tables;
}

/** The rows of all buckets, or of one. */
export function* readRows(database: DatabaseSync, path: string, bucket?: string): Generator<KvRow> {
  const columns = "bucket, key, revision, expires_at AS expires, checksum, value";
  const where = bucket === undefined ? "" : "WHERE bucket = ?";
  const rows = database.prepare(`SELECT ${columns} FROM kv ${where}`);
  for (const found of rows.iterate(...(bucket === undefined ? [] : [bucket]))) {
    const row = found as unknown as KvRow & { checksum: number };
    if (checksumOf(row) !== row.checksum) {
      throw damagedError(path, `the key "${row.key}" of "${row.bucket}" has another checksum`);
    }
    yield row;
  }
}

function sizeOf(write: Write): number {
  return ROW_BYTES + write.key.length + (write.kind === "delete" ? 0 : write.value.length);
}
