import { Worker } from "node:worker_threads";
import type { SchemaReport, SchemaRequest } from "./schema-worker.ts";

/** Time limits of a thread, in milliseconds. */
export interface SchemaDeadlines {
  start: number;
  compile: number;
  validate: number;
}

/** How one check ended. */
export type SchemaOutcome =
  | { kind: "checked"; mistake?: string }
  /** It took too long or too much memory. Phase `compile` means that the value wasn't involved. */
  | { kind: "exceeded"; phase: "compile" | "validate" }
  /** No thread could be started, which isn't the schema's fault. */
  | { kind: "unavailable" };

type Phase = "start" | "compile" | "validate";

// Next to this file, both in `src` and in `dist`.
const PROGRAM = new URL(
  `./schema-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);
const LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** One worker thread, started on demand and replaced after it was terminated. */
export class SchemaThread {
  readonly #deadlines: SchemaDeadlines;
  #worker: Worker | undefined;
  #isReady = false;

  constructor(deadlines: SchemaDeadlines) {
    this.#deadlines = deadlines;
  }

  /** Checks one value. Don't call it again before it has finished. Never rejects. */
  run(request: SchemaRequest): Promise<SchemaOutcome> {
    const worker = this.#worker ?? this.#start();
    worker.ref();
    let phase: Phase = this.#isReady ? "compile" : "start";
    let timer: NodeJS.Timeout | undefined;
    let hasEnded = false;
    return new Promise((resolve) => {
      const finish = (outcome: SchemaOutcome): void => {
        if (hasEnded) return;
        hasEnded = true;
        clearTimeout(timer);
        worker.off("exit", exceed);
        worker.off("message", onReport);
        worker.unref();
        resolve(outcome);
      };
      // Also called when the heap is full, which ends the thread.
      const exceed = (): void => {
        if (hasEnded) return;
        this.#terminate(worker);
        finish(phase === "start" ? { kind: "unavailable" } : { kind: "exceeded", phase });
      };
      const enter = (next: Phase): void => {
        phase = next;
        clearTimeout(timer);
        // If the event loop was blocked, a report may be queued behind the timer, so read it first.
        const late = (): void => {
          setImmediate(() => {
            if (phase === next) exceed();
          });
        };
        timer = setTimeout(late, this.#deadlines[next]);
      };
      const send = (): void => {
        enter("compile");
        worker.postMessage(request);
      };
      const onReport = (report: SchemaReport): void => {
        if (report.kind === "ready") {
          this.#isReady = true;
          send();
        } else if (report.kind === "compiled") enter("validate");
        else if (report.kind === "checked") finish(report);
        else finish({ kind: "exceeded", phase: phase === "validate" ? phase : "compile" });
      };
      worker.on("exit", exceed);
      worker.on("message", onReport);
      if (this.#isReady) send();
      else enter("start");
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    // An empty environment, because the gateway's may contain secrets.
    const worker = new Worker(PROGRAM, { name: "schema-check", env: {}, resourceLimits: LIMITS });
    // An error ends the thread, and the exit handler covers that.
    worker.on("error", () => {});
    worker.on("exit", () => this.#forget(worker));
    this.#worker = worker;
    this.#isReady = false;
    return worker;
  }

  #terminate(worker: Worker): void {
    this.#forget(worker);
    void worker.terminate();
  }

  #forget(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined;
  }
}
