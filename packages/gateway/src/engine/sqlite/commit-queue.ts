// Collects writes while the disk is busy and commits them together: many wait for one fsync.

import { Worker } from "node:worker_threads";
import { closedError, EngineError } from "../engine-error.ts";
import type { CommitReply, CommitWorkerData } from "./commit-worker.ts";
import type { FailureText, Operation, Outcome } from "./operations.ts";

/** Bytes of one transaction, and of everything that may wait. */
const BATCH_BYTES = 4 * 2 ** 20;
const QUEUE_BYTES = 64 * 2 ** 20;

// Next to this file, whether it was compiled or not.
const PROGRAM = new URL(
  `./commit-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);

interface Waiting {
  readonly operations: readonly Operation[];
  readonly bytes: number;
  resolve(outcomes: readonly Outcome[]): void;
  reject(error: EngineError): void;
}

/** The writes of one engine, on their way to the thread that commits them. */
export class CommitQueue {
  readonly #worker: Worker;
  readonly #onLost: (error: EngineError) => void;
  #waiting: Waiting[] = [];
  #committing: Waiting[] = [];
  #bytes = 0;
  /** Why nothing can be written any more. */
  #ended: EngineError | undefined;
  #onIdle: () => void = () => {};
  readonly #exited: Promise<void>;

  private constructor(worker: Worker, onLost: (error: EngineError) => void) {
    this.#worker = worker;
    this.#onLost = onLost;
    this.#exited = new Promise((resolve) => worker.once("exit", () => resolve()));
    worker.on("message", (reply: CommitReply) => this.#take(reply));
    worker.on("error", (cause) => this.#end(brokenError(cause)));
    worker.on("exit", () => this.#end(brokenError(undefined)));
  }

  /** Starts the thread; `onLost` is called once if another process takes the folder. */
  static async start(
    data: CommitWorkerData,
    onLost: (error: EngineError) => void,
  ): Promise<CommitQueue> {
    const worker = new Worker(PROGRAM, { name: "engine-commit", env: {}, workerData: data });
    await new Promise<void>((resolve, reject) => {
      worker.once("message", () => resolve());
      worker.once("error", (cause) => reject(brokenError(cause)));
    });
    worker.removeAllListeners("error");
    // A process that has nothing else to do may end; `#send` holds it while a commit is under way.
    worker.unref();
    return new CommitQueue(worker, onLost);
  }

  /** Commits operations in one transaction; resolves when they're on the disk. */
  add(operations: readonly Operation[], bytes: number): Promise<readonly Outcome[]> {
    if (this.#ended) return Promise.reject(this.#ended);
    if (this.#bytes + bytes > QUEUE_BYTES) return Promise.reject(slowError(this.#bytes));
    this.#bytes += bytes;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operations, bytes, resolve, reject });
      // Writes of the same turn share the commit.
      if (this.#waiting.length === 1) queueMicrotask(() => this.#send());
    });
  }

  /** Commits one operation. */
  async addOne(operation: Operation, bytes = 0): Promise<Outcome> {
    const [outcome = {}] = await this.add([operation], bytes);
    if (outcome.refused) throw errorOf(outcome.refused);
    return outcome;
  }

  /** Resolves when everything added so far was answered and the thread ended. */
  async close(): Promise<void> {
    while (!this.#ended && this.#waiting.length + this.#committing.length > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    this.#ended ??= closedError();
    this.#worker.ref();
    this.#worker.postMessage("close");
    await this.#exited;
  }

  #send(): void {
    if (this.#committing.length > 0 || this.#waiting.length === 0 || this.#ended) return;
    let bytes = 0;
    const next = this.#waiting.findIndex((each, at) => {
      bytes += each.bytes;
      return at > 0 && bytes > BATCH_BYTES;
    });
    this.#committing = this.#waiting.splice(0, next < 0 ? this.#waiting.length : next);
    this.#worker.ref();
    this.#worker.postMessage(this.#committing.flatMap(({ operations }) => operations));
  }

  #take(reply: CommitReply): void {
    if (reply.kind === "lost") {
      const error = errorOf(reply.error);
      this.#end(error);
      this.#onLost(error);
      return;
    }
    const done = this.#committing;
    this.#committing = [];
    this.#worker.unref();
    for (const { bytes } of done) this.#bytes -= bytes;
    if (reply.kind === "failed") {
      const error = errorOf(reply.error);
      for (const { reject } of done) reject(error);
    }
    if (reply.kind === "committed") {
      let at = 0;
      for (const { operations, resolve } of done) {
        resolve(reply.outcomes.slice(at, at + operations.length));
        at += operations.length;
      }
    }
    this.#send();
    if (this.#committing.length === 0) this.#onIdle();
  }

  #end(error: EngineError): void {
    this.#ended ??= error;
    const all = [...this.#committing, ...this.#waiting];
    this.#committing = [];
    this.#waiting = [];
    for (const { reject } of all) reject(error);
    this.#onIdle();
  }
}

function errorOf({ code, message }: FailureText): EngineError {
  return new EngineError(code, message);
}

function brokenError(cause: unknown): EngineError {
  const text = "The thread that writes the database ended; restart the gateway.";
  return new EngineError("unavailable", text, { cause });
}

function slowError(bytes: number): EngineError {
  const text = `The disk is too slow: ${bytes} bytes wait to be written. Nothing was stored; try again later.`;
  return new EngineError("unavailable", text);
}
