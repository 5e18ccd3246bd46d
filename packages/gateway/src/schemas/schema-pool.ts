// Checks values against schemas in worker threads. Each tenant has a lane: lanes take turns, and one lane has
// at most one thread, so that a tenant whose checks are slow doesn't delay the checks of others for long.

import { type SchemaDeadlines, type SchemaOutcome, SchemaThread } from "./schema-thread.ts";
import type { SchemaRequest } from "./schema-worker.ts";

/** One check. */
export interface SchemaJob extends SchemaRequest {
  /** Whose turn it takes. */
  lane: string;
  /** Asked when its turn comes: a job that isn't wanted any more is skipped. */
  isWanted(): boolean;
}

/** How a job ended. */
export type SchemaJobOutcome =
  | SchemaOutcome
  /** Too many jobs wait. */
  | { kind: "full" }
  /** It wasn't wanted any more when its turn came. */
  | { kind: "skipped" };

/** Limits of a pool. */
export interface SchemaPoolOptions {
  threads?: number;
  deadlines?: Partial<SchemaDeadlines>;
  /** Jobs, and characters of schemas and values, that may wait in one lane. */
  laneJobs?: number;
  laneCharacters?: number;
  /** Jobs that may wait in all lanes. */
  jobs?: number;
}

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

/** A few threads with a fair queue before them. */
export class SchemaPool {
  readonly #limits: { laneJobs: number; laneCharacters: number; jobs: number };
  readonly #threads: readonly SchemaThread[];
  readonly #idle: SchemaThread[];
  /** In the order of their turns. */
  readonly #lanes = new Map<string, Lane>();
  #waiting = 0;
  #isClosed = false;

  constructor(options: SchemaPoolOptions = {}) {
    const { threads = 2, deadlines, laneJobs = 32, laneCharacters = 8 * 2 ** 20 } = options;
    this.#limits = { laneJobs, laneCharacters, jobs: options.jobs ?? 256 };
    this.#threads = Array.from(
      { length: threads },
      () => new SchemaThread({ ...DEADLINES, ...deadlines }),
    );
    this.#idle = [...this.#threads];
  }

  /** Never rejects. */
  run(job: SchemaJob): Promise<SchemaJobOutcome> {
    const { laneJobs, laneCharacters, jobs } = this.#limits;
    const lane = this.#lanes.get(job.lane) ?? { waiting: [], characters: 0, isRunning: false };
    const isFull =
      this.#waiting >= jobs ||
      lane.waiting.length >= laneJobs ||
      lane.characters + sizeOf(job) > laneCharacters;
    if (this.#isClosed || isFull) return Promise.resolve({ kind: "full" });
    this.#lanes.set(job.lane, lane);
    lane.characters += sizeOf(job);
    this.#waiting += 1;
    return new Promise((resolve) => {
      lane.waiting.push({ job, resolve });
      this.#next();
    });
  }

  /** Ends the threads; checks that are under way or wait are not made. */
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
      // To the end of the order.
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
        // The result is used first: it may make the jobs behind it unwanted.
        resolve(outcome);
        setImmediate(() => this.#next());
      });
    }
  }
}

function sizeOf({ schema, value }: SchemaRequest): number {
  return schema.length + value.length;
}
