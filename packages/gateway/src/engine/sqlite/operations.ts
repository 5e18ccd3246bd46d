// What a transaction is made of. `OperationRunner` has the SQL for each operation; it runs in the thread that
// writes, inside of a transaction.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { Appended } from "../engine.ts";
import type { EngineError } from "../engine-error.ts";

/** One write. */
export type Operation =
  | { kind: "set"; row: KvRow }
  | { kind: "delete"; bucket: string; key: string; revision: number }
  | { kind: "append"; partition: string; id: string | undefined; batch: readonly string[] }
  | { kind: "trim"; partition: string; before: number }
  | { kind: "put-blob"; sha256: string; bytes: Uint8Array; now: number }
  | { kind: "delete-blob"; sha256: string }
  | { kind: "sweep-blobs"; before: number }
  | { kind: "beat"; now: number }
  | { kind: "release" };

/** A key as it's stored; a time in milliseconds since 1970, or `null` if it never expires. */
export interface KvRow {
  readonly bucket: string;
  readonly key: string;
  readonly revision: number;
  readonly expires: number | null;
  readonly value: Uint8Array;
}

/** An `EngineError` as it crosses threads. */
export interface FailureText {
  readonly code: EngineError["code"];
  readonly message: string;
}

/** What became of an operation. */
export interface Outcome {
  readonly appended?: Appended;
  /** Rows deleted by a sweep. */
  readonly count?: number;
  /** Whether a trim has to go on. */
  readonly hasMore?: boolean;
  /** The operation wasn't done; others of the same transaction may be. */
  readonly refused?: FailureText;
}

/** The process that may write. */
export interface Owner {
  readonly generation: number;
  readonly pid: number;
  readonly host: string;
}

interface RunnerOptions {
  readonly maxLogBytes: number;
  readonly dedupeTime: number;
}

/** Records that one trim deletes at most: others wait for the transaction. */
const MOST_TRIMMED = 500;
/** Keys are gone for readers when they expire; their rows may stay this long. */
const EXPIRED = 60_000;

/** Detects a changed byte in a row, which SQLite doesn't. */
export function checksumOf({ bucket, key, revision, expires, value }: KvRow): number {
  return crc32(value, crc32(`${bucket} ${key} ${revision} ${expires}`));
}

export class OperationRunner {
  readonly #database: DatabaseSync;
  readonly #options: RunnerOptions;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, options: RunnerOptions) {
    this.#database = database;
    this.#options = options;
  }

  owner(): Owner | undefined {
    return this.#sql("SELECT generation, pid, host FROM owner").get() as Owner | undefined;
  }

  run(operation: Operation): Outcome {
    switch (operation.kind) {
      case "set":
        return this.#set(operation.row);
      case "delete":
        this.#sql("DELETE FROM kv WHERE bucket = ? AND key = ?").run(
          operation.bucket,
          operation.key,
        );
        return this.#setRevision(operation.bucket, operation.revision);
      case "append":
        return this.#append(operation);
      case "trim":
        return this.#trim(operation);
      case "put-blob":
        this.#sql(
          "INSERT INTO blobs VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET put_at = excluded.put_at",
        ).run(operation.sha256, operation.now, operation.bytes);
        return {};
      case "delete-blob":
        this.#sql("DELETE FROM blobs WHERE sha256 = ?").run(operation.sha256);
        return {};
      case "sweep-blobs": {
        const { changes } = this.#sql("DELETE FROM blobs WHERE put_at < ?").run(operation.before);
        return { count: Number(changes) };
      }
      case "beat":
        return this.#beat(operation.now);
      case "release":
        this.#sql("UPDATE owner SET released = 1").run();
        return {};
    }
  }

  #set(row: KvRow): Outcome {
    const { bucket, key, revision, expires, value } = row;
    this.#sql("INSERT OR REPLACE INTO kv VALUES (?, ?, ?, ?, ?, ?)").run(
      ...[bucket, key, revision, expires, checksumOf(row), value],
    );
    return this.#setRevision(bucket, revision);
  }

  #setRevision(bucket: string, revision: number): Outcome {
    this.#sql("INSERT OR REPLACE INTO kv_buckets VALUES (?, ?)").run(bucket, revision);
    return {};
  }

  #append({ partition, id, batch }: Operation & { kind: "append" }): Outcome {
    const known = this.#sql("SELECT first, last FROM log_ids WHERE partition = ? AND id = ?");
    const found = id === undefined ? undefined : known.get(partition, id);
    if (found)
      return { appended: { ...(found as { first: number; last: number }), duplicate: true } };
    const { next, bytes } = this.#partition(partition);
    const records = batch.map((record) => record.split("\n"));
    const size = records.reduce((sum, lines) => sum + sizeOf(lines), 0);
    const { maxLogBytes } = this.#options;
    if (bytes + size > maxLogBytes) {
      const message = `The log "${partition}" is limited to ${maxLogBytes} bytes; nothing was stored. Trim it, or raise engine.maxLogBytes.`;
      return { refused: { code: "full", message } };
    }
    const insert = this.#sql("INSERT INTO log VALUES (?, ?, ?, ?)");
    for (const [at, lines] of records.entries()) {
      for (const [line, text] of lines.entries()) insert.run(partition, next + at, line, text);
    }
    const last = next + records.length - 1;
    this.#setPartition(partition, last + 1, bytes + size);
    if (id !== undefined) {
      this.#sql("INSERT INTO log_ids VALUES (?, ?, ?, ?, ?)").run(
        ...[partition, id, next, last, Date.now()],
      );
    }
    return { appended: { first: next, last, duplicate: false } };
  }

  #trim({ partition, before }: Operation & { kind: "trim" }): Outcome {
    const places = this.#sql(
      "SELECT DISTINCT place FROM log WHERE partition = ? AND place < ? ORDER BY place LIMIT ?",
    ).all(partition, before, MOST_TRIMMED) as { place: number }[];
    const last = places.at(-1)?.place;
    if (last === undefined) return { hasMore: false };
    const { next, bytes } = this.#partition(partition);
    const { size } = this.#sql(
      "SELECT sum(octet_length(text) + 1) AS size FROM log WHERE partition = ? AND place <= ?",
    ).get(partition, last) as { size: number };
    this.#sql("DELETE FROM log WHERE partition = ? AND place <= ?").run(partition, last);
    this.#setPartition(partition, next, Math.max(0, bytes - size));
    return { hasMore: places.length === MOST_TRIMMED };
  }

  #beat(now: number): Outcome {
    this.#sql("UPDATE owner SET beats = beats + 1").run();
    this.#sql("DELETE FROM kv WHERE expires_at < ?").run(now - EXPIRED);
    this.#sql("DELETE FROM log_ids WHERE appended_at < ?").run(now - this.#options.dedupeTime);
    return {};
  }

  #partition(name: string): { next: number; bytes: number } {
    const found = this.#sql("SELECT next, bytes FROM log_partitions WHERE partition = ?").get(name);
    return (found as { next: number; bytes: number } | undefined) ?? { next: 1, bytes: 0 };
  }

  #setPartition(name: string, next: number, bytes: number): void {
    this.#sql("INSERT OR REPLACE INTO log_partitions VALUES (?, ?, ?)").run(name, next, bytes);
  }

  #sql(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}
