// The thread that writes. Each message is a batch of operations and becomes one transaction, hence one fsync.
// It reads the owner's generation in the same transaction: a process whose folder was taken over commits nothing.

import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { EngineError } from "../engine-error.ts";
import { openDatabase } from "./database.ts";
import { HEARTBEAT } from "./folder-owner.ts";
import { type FailureText, type Operation, OperationRunner, type Outcome } from "./operations.ts";
import { sqliteError } from "./sqlite-error.ts";

/** What the thread needs to know. */
export interface CommitWorkerData {
  readonly path: string;
  readonly generation: number;
  readonly maxLogBytes: number;
  readonly dedupeTime: number;
  /** File that is deleted to make room for a trim when the disk is full, and its size. */
  readonly reserve: { readonly path: string; readonly bytes: number };
}

/** What the thread answers. */
export type CommitReply =
  | { kind: "ready" }
  | { kind: "committed"; outcomes: readonly Outcome[] }
  | { kind: "failed"; error: FailureText }
  | { kind: "lost"; error: FailureText };

const FSYNC_FAILED = 1034;

class CommitWorker {
  readonly #data: CommitWorkerData;
  readonly #database: DatabaseSync;
  readonly #runner: OperationRunner;
  /** Set once nothing may be written any more. */
  #ended: EngineError | undefined;

  constructor(data: CommitWorkerData) {
    this.#data = data;
    this.#database = openDatabase(data.path);
    this.#runner = new OperationRunner(this.#database, data);
    this.#fillReserve();
  }

  handle(operations: readonly Operation[]): CommitReply {
    try {
      return { kind: "committed", outcomes: this.#commit(operations) };
    } catch (failure) {
      const error = sqliteError(this.#data.path, failure);
      if (error.code === "full") {
        const outcomes = this.#shrink(operations, error);
        if (outcomes) return { kind: "committed", outcomes };
      }
      return { kind: error.code === "locked" ? "lost" : "failed", error: textOf(error) };
    }
  }

  /** Renews the heartbeat, deletes what expired and fills the reserve. Returns why this process isn't the owner any more. */
  beat(): CommitReply | undefined {
    try {
      this.#commit([{ kind: "beat", now: Date.now() }]);
      this.#fillReserve();
      return undefined;
    } catch (failure) {
      const error = sqliteError(this.#data.path, failure);
      return error.code === "locked" ? { kind: "lost", error: textOf(error) } : undefined;
    }
  }

  close(): void {
    try {
      if (!this.#ended) this.#commit([{ kind: "release" }]);
    } catch {
      // The next process waits until the heartbeat is old, or sees that the lock is free.
    }
    this.#database.close();
  }

  #commit(operations: readonly Operation[]): Outcome[] {
    if (this.#ended) throw this.#ended;
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      this.#checkGeneration();
      const outcomes = operations.map((operation) => this.#runner.run(operation));
      this.#database.exec("COMMIT");
      return outcomes;
    } catch (error) {
      // SQLite has rolled back by itself after some errors.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      this.#endAfter(error);
      throw error;
    }
  }

  #checkGeneration(): void {
    const owner = this.#runner.owner();
    if (owner?.generation === this.#data.generation) return;
    const by = owner ? `process ${owner.pid} on ${owner.host}` : "someone who removed its owner";
    const text = `${this.#data.path} was taken over by ${by}; nothing more is stored. End this process.`;
    this.#ended = new EngineError("locked", text);
    throw this.#ended;
  }

  /** After a failed fsync nobody knows what is on the disk; only a new start reads it again. */
  #endAfter(error: unknown): void {
    if ((error as { errcode?: number }).errcode !== FSYNC_FAILED) return;
    const text = `A sync of ${this.#data.path} failed; nothing more is stored until a restart. Check the disk.`;
    this.#ended = new EngineError("unavailable", text, { cause: error });
  }

  /** Even a deletion needs disk space: it uses the reserve, and everything else in the batch fails. */
  #shrink(operations: readonly Operation[], error: EngineError): Outcome[] | undefined {
    const isShrinking = ({ kind }: Operation): boolean =>
      kind === "trim" || kind === "delete-blob" || kind === "sweep-blobs";
    if (!operations.some(isShrinking)) return undefined;
    rmSync(this.#data.reserve.path, { force: true });
    try {
      this.#emptyWal();
      const done = this.#commit(operations.filter(isShrinking));
      this.#emptyWal();
      this.#fillReserve();
      return operations.map((operation) =>
        isShrinking(operation) ? (done.shift() as Outcome) : { refused: textOf(error) },
      );
    } catch {
      return undefined;
    }
  }

  #emptyWal(): void {
    this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  #fillReserve(): void {
    const { path, bytes } = this.#data.reserve;
    let file: number | undefined;
    try {
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= bytes) return;
      const { bavail, bsize } = statfsSync(dirname(path));
      // An attempt that fails would fill the disk for a moment.
      if (bavail * bsize < bytes * 1.5) return;
      file = openSync(path, "w", 0o600);
      // Not synced: the file system has set the space aside, and what the file holds doesn't matter.
      writeSync(file, new Uint8Array(bytes));
    } catch {
      // No room now; the next heartbeat tries again.
      rmSync(path, { force: true });
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }
}

function textOf({ code, message }: EngineError): FailureText {
  return { code, message };
}

const port = parentPort;
if (port) {
  const worker = new CommitWorker(workerData as CommitWorkerData);
  const beating = setInterval(() => {
    const lost = worker.beat();
    if (!lost) return;
    clearInterval(beating);
    port.postMessage(lost);
  }, HEARTBEAT);
  port.on("message", (operations: readonly Operation[] | "close") => {
    if (operations !== "close") return port.postMessage(worker.handle(operations));
    clearInterval(beating);
    worker.close();
    port.close();
  });
  port.postMessage({ kind: "ready" } satisfies CommitReply);
}
