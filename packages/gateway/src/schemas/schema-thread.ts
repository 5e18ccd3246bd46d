import { Worker } from "node:worker_threads";
import type { SchemaReport, SchemaRequest } from "./schema-worker.ts";

/** Milliseconds that a thread has. */
export interface SchemaDeadlines {
  start: number;
  compile: number;
  validate: number;
}

/** How one check ended. */
export type SchemaOutcome =
  | { kind: "checked"; mistake?: string }
  /** It took too long, or too much memory; `compile` says whether the value played no part in it. */
  | { kind: "exceeded"; phase: "compile" | "validate" }
  /** No thread could be started; it isn't the schema's fault. */
  | { kind: "unavailable" };

type Phase = "start" | "compile" | "validate";

// Next to this file, whether it was compiled or not.
const PROGRAM = new URL(
  `./schema-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);
const LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** One worker thread, started when it is needed and replaced when it was terminated. */
export class SchemaThread {
  readonly #deadlines: SchemaDeadlines;
  #worker: Worker | undefined;
  #isReady = false;

  constructor(deadlines: SchemaDeadlines) {
    this.#deadlines = deadlines;
  }

  /** Checks one value; not to be called again before it has ended. Never rejects. */
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
        worker.off("message", hear);
        worker.unref();
        resolve(outcome);
      };
      // Also after its heap was full: then the thread ends by itself.
      const exceed = (): void => {
        if (hasEnded) return;
        this.#terminate(worker);
        finish(phase === "start" ? { kind: "unavailable" } : { kind: "exceeded", phase });
      };
      const enter = (next: Phase): void => {
        phase = next;
        clearTimeout(timer);
        // If the event loop was blocked, a report may be waiting behind the timer: it is read first.
        const late = (): void => {
          setImmediate(() => {
            if (phase === next) exceed();
          });
        };
        timer = setTimeout(late, this.#deadlines[next]);
      };
      const ask = (): void => {
        enter("compile");
        worker.postMessage(request);
      };
      const hear = (report: SchemaReport): void => {
        if (report.kind === "ready") {
          this.#isReady = true;
          ask();
        } else if (report.kind === "compiled") enter("validate");
        else if (report.kind === "checked") finish(report);
        else finish({ kind: "exceeded", phase: phase === "validate" ? phase : "compile" });
      };
      worker.on("exit", exceed);
      worker.on("message", hear);
      if (this.#isReady) ask();
      else enter("start");
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    // It needs nothing of the environment, where secrets may be.
    const worker = new Worker(PROGRAM, { name: "schema-check", env: {}, resourceLimits: LIMITS });
    // An error ends the thread, which is noticed there.
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
