// Checks values against schemas in worker threads. Each tenant has a queue. The queues take turns, and each
// uses at most one thread, so that a tenant with slow checks doesn't delay others for long.

import { type SchemaDeadlines, type SchemaOutcome, SchemaThread } from "./schema-thread.ts";
import type { SchemaRequest } from "./schema-worker.ts";

/** One check. */
export interface SchemaJob extends SchemaRequest {
  /** The queue of the job, usually its tenant. */
  lane: string;
  /** Called when the job is next. A job that is no longer wanted is skipped. */
  isWanted(): boolean;
}

/** How a job ended. */
export type SchemaJobOutcome =
  | SchemaOutcome
  /** Too many jobs are waiting. */
  | { kind: "full" }
  /** The job was no longer wanted when its turn came. */
  | { kind: "skipped" };

interface Waiting {
  job: SchemaJob;
  resolve(outcome: SchemaJobOutcome): void;
}

interface Lane {
  waiting: Waiting[];
  characters: number;
  isRunning: boolean;
}

const DEADLINES: SchemaDeadlines = { start: 10_000, compile: 1_000, validate: 250 };
const THREADS = 2;
/** Jobs, and characters of schemas and values, that may wait in one lane. */
const LANE_JOBS = 32;
const LANE_CHARACTERS = 8 * 2 ** 20;
/** Jobs that may wait in all lanes. */
const JOBS = 256;

/** A few threads behind a fair queue. */
export class SchemaPool {
  readonly #threads: readonly SchemaThread[] = Array.from(
    { length: THREADS },
    () => new SchemaThread(DEADLINES),
  );
  readonly #idle: SchemaThread[] = [...this.#threads];
  /** In round-robin order. */
  readonly #lanes = new Map<string, Lane>();
  #waiting = 0;
  #isClosed = false;

  /** Never rejects. */
  run(job: SchemaJob): Promise<SchemaJobOutcome> {
    const lane = this.#lanes.get(job.lane) ?? { waiting: [], characters: 0, isRunning: false };
    const isFull =
      this.#waiting >= JOBS ||
      lane.waiting.length >= LANE_JOBS ||
      lane.characters + sizeOf(job) > LANE_CHARACTERS;
    if (this.#isClosed || isFull) return Promise.resolve({ kind: "full" });
    this.#lanes.set(job.lane, lane);
    lane.characters += sizeOf(job);
    this.#waiting += 1;
    return new Promise((resolve) => {
      lane.waiting.push({ job, resolve });
      this.#next();
    });
  }

  /** Ends the threads. Running and waiting checks are dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const lane of this.#lanes.values()) {
      for (const { resolve } of lane.waiting.splice(0)) resolve({ kind: "skipped" });
    }
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #next(): void {
    while (!this.#isClosed && this.#idle.length > 0) {
      const turn = [...this.#lanes].find(([, lane]) => !lane.isRunning && lane.waiting.length > 0);
      if (!turn) return;
      const [name, lane] = turn;
      const { job, resolve } = lane.waiting.shift() as Waiting;
      lane.characters -= sizeOf(job);
      this.#waiting -= 1;
      // Move to the end of the order.
      this.#lanes.delete(name);
      if (!job.isWanted()) {
        if (lane.waiting.length > 0) this.#lanes.set(name, lane);
        resolve({ kind: "skipped" });
        continue;
      }
      this.#lanes.set(name, lane);
      lane.isRunning = true;
      const thread = this.#idle.pop() as SchemaThread;
      void thread.run({ schema: job.schema, value: job.value }).then((outcome) => {
        lane.isRunning = false;
        this.#idle.push(thread);
        if (lane.waiting.length === 0) this.#lanes.delete(name);
        // Resolve first, because the result may make queued jobs unwanted.
        resolve(outcome);
        setImmediate(() => this.#next());
      });
    }
  }
}

function sizeOf({ schema, value }: SchemaRequest): number {
  return schema.length + value.length;
}
