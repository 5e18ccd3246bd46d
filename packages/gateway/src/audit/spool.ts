// Buffers records and stores them in batches: lines are collected for fifty milliseconds or 256 KiB and
// become steps of the chain, and several steps go to the engine at once. A batch that the engine rejects is
// retried with the same bytes and the same id until it succeeds.

import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../engine/engine.ts";
import { type AuditError, closedError, lostError, refusedError } from "./audit-error.ts";
import { LINE_HEAD, PARTITION, STEP_HEAD } from "./chain.ts";
import { type ChainStep, type ChainWriter, readStepsSince, writeHead } from "./chain-writer.ts";
import type { ChainHead } from "./sealed-head.ts";

const STEP_BYTES = 64 * 1024;
const STEP_TIME = 50;
const BATCH_BYTES = 512 * 1024;
/** Bytes that are stored immediately, without waiting for more. */
const FLUSH_BYTES = 256 * 1024;
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 2_000;
const HEAD_TIME = 1_000;

interface Batch {
  readonly steps: readonly ChainStep[];
  /** Bytes of its lines. */
  readonly bytes: number;
  readonly last: number;
  readonly end: boolean;
  readonly since: number;
}

interface Waiter {
  readonly isDone: () => boolean;
  resolve(): void;
  reject(error: AuditError): void;
}

export interface SpoolOptions {
  engine: Engine;
  chain: ChainWriter;
  /** Called when the engine stops accepting records, and with undefined when it accepts them again. */
  onProblem(error: AuditError | undefined): void;
  /** Called with the number of stored lines. */
  onStored?: ((count: number) => void) | undefined;
}

/** Lines that are being stored in the engine. */
export class Spool {
  /** Why the engine currently rejects records. */
  problem: AuditError | undefined;
  /** Bytes that aren't stored yet. */
  bytes = 0;
  /** Lines accepted and lines stored. */
  taken = 0;
  stored = 0;
  head: ChainHead;
  readonly #options: SpoolOptions;
  /** Lines that aren't in a batch yet. */
  #lines: string[] = [];
  /** Bytes of those lines. */
  #fresh = 0;
  /** Callers are waiting for the lines up to this one. */
  #urgent = 0;
  #batch: Batch | undefined;
  #waiters: Waiter[] = [];
  #timer: NodeJS.Timeout | undefined;
  #headTimer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #ending = false;
  #isOver = false;

  private constructor(options: SpoolOptions, head: ChainHead) {
    this.#options = options;
    this.head = head;
  }

  /** Stores the chain's first step, which marks the start of this run. */
  static async open(options: SpoolOptions): Promise<Spool> {
    const { engine, chain } = options;
    const step = chain.next();
    const { first } = await engine.log.append(PARTITION, [step.bytes], { id: idOf(step) });
    const head = { ...headOf(step), place: first };
    await writeHead(engine, head, chain);
    return new Spool(options, head);
  }

  add(line: string): void {
    const bytes = line.length + LINE_HEAD;
    this.#lines.push(line);
    this.taken += 1;
    this.bytes += bytes;
    this.#fresh += bytes;
    if (this.#fresh >= FLUSH_BYTES) this.#flush();
    else if (!this.#running) this.#flushLater();
  }

  /** Resolves when everything accepted so far is stored. Rejects if the engine doesn't accept it. */
  flushed(): Promise<void> {
    const last = this.taken;
    const isDone = (): boolean => this.stored >= last;
    if (!isDone()) {
      this.#urgent = last;
      // Callers in the same turn share a step.
      setImmediate(() => this.#flush());
    }
    return this.when(isDone);
  }

  /** Resolves when a condition holds after records were stored. Rejects if the engine doesn't accept them. */
  when(isDone: () => boolean): Promise<void> {
    if (isDone()) return Promise.resolve();
    if (this.problem) return Promise.reject(this.problem);
    return new Promise((resolve, reject) => this.#waiters.push({ isDone, resolve, reject }));
  }

  /** Stores the rest and the chain's last step, within this many milliseconds. */
  async close(time: number): Promise<void> {
    this.#ending = true;
    this.#flush();
    const late = new AbortController();
    await Promise.race([this.#running, sleep(time, undefined, late)]);
    late.abort();
    clearTimeout(this.#headTimer);
    this.#isOver = true;
    const left = this.taken - this.stored;
    const problem = left > 0 ? lostError(left, this.problem) : closedError();
    this.#reject(problem);
    await this.#writeHead();
    if (left > 0) throw problem;
  }

  #flushLater(): void {
    this.#timer ??= setTimeout(() => this.#flush(), STEP_TIME);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // A run without work would end before it is assigned, and no other run could start after it.
    const hasWork = this.#lines.length > 0 || this.#batch !== undefined || this.#ending;
    if (hasWork && !this.#isOver) this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    let pause = FIRST_PAUSE;
    while (!this.#isOver) {
      this.#batch ??= this.#nextBatch();
      const batch = this.#batch;
      if (!batch) break;
      try {
        this.#keep(batch, await this.#store(batch));
        pause = FIRST_PAUSE;
        if (batch.end || !this.#isPressed) break;
      } catch (error) {
        this.#fail(error);
        await new Promise((resolve) => setTimeout(resolve, pause).unref());
        pause = Math.min(pause * 2, LONGEST_PAUSE);
      }
    }
    this.#running = undefined;
    if (this.#lines.length > 0 && !this.#isOver) this.#flushLater();
  }

  // Otherwise each record would become a separate step on a fast disk.
  get #isPressed(): boolean {
    return this.#ending || this.#fresh >= FLUSH_BYTES || this.stored < this.#urgent;
  }

  async #store({ steps, since }: Batch): Promise<number> {
    const { engine } = this.#options;
    const first = steps[0] as ChainHead;
    // The engine may no longer remember the id of an append whose response was lost.
    if (this.problem && Date.now() - since > engine.caps.dedupeTime / 2) {
      const stored = await readStepsSince(engine, this.head);
      const place = stored.get(first.step);
      if (place !== undefined) return place;
    }
    const bytes = steps.map((step) => step.bytes);
    return (await engine.log.append(PARTITION, bytes, { id: idOf(first) })).first;
  }

  #nextBatch(): Batch | undefined {
    const end = this.#ending;
    if (this.#lines.length === 0 && !end) return undefined;
    const { chain, engine } = this.#options;
    const steps: ChainStep[] = [];
    let bytes = 0;
    let count = 0;
    for (let room = Math.min(BATCH_BYTES, engine.caps.maxBytes / 2); room > 0; ) {
      const { lines, size } = this.#nextStep(count);
      if (lines.length === 0 || (steps.length > 0 && size + STEP_HEAD > room)) break;
      steps.push(chain.next(lines));
      bytes += size;
      count += lines.length;
      room -= size + STEP_HEAD;
    }
    this.#lines.splice(0, count);
    this.#fresh -= bytes;
    const isLast = end && this.#lines.length === 0;
    if (isLast) steps.push(chain.next([], { end: true }));
    return { steps, bytes, last: this.stored + count, end: isLast, since: Date.now() };
  }

  /** The lines from `from` on that fit into one step; at least one if there are any. */
  #nextStep(from: number): { lines: readonly string[]; size: number } {
    const most = Math.min(STEP_BYTES, this.#options.engine.caps.maxBytes / 2 - STEP_HEAD);
    let size = 0;
    let to = from;
    for (; to < this.#lines.length; to++) {
      const next = (this.#lines[to] as string).length + LINE_HEAD;
      if (to > from && size + next > most) break;
      size += next;
    }
    return { lines: this.#lines.slice(from, to), size };
  }

  #keep(batch: Batch, place: number): void {
    this.#batch = undefined;
    this.bytes -= batch.bytes;
    this.stored = batch.last;
    this.head = { ...headOf(batch.steps.at(-1) as ChainStep), place };
    if (this.problem) {
      this.problem = undefined;
      this.#options.onProblem(undefined);
    }
    this.#options.onStored?.(this.stored);
    this.#headTimer ??= setTimeout(() => this.#leaveHead(), HEAD_TIME).unref();
    this.#waiters = this.#waiters.filter((waiter) => {
      if (waiter.isDone()) waiter.resolve();
      return !waiter.isDone();
    });
  }

  #leaveHead(): void {
    this.#headTimer = undefined;
    void this.#writeHead();
  }

  async #writeHead(): Promise<void> {
    const { engine, chain } = this.#options;
    // It only makes a missing end visible, and the next one is a second away.
    await writeHead(engine, this.head, chain).catch(() => {});
  }

  #fail(cause: unknown): void {
    const isNew = this.problem === undefined;
    this.problem = refusedError(cause);
    if (isNew) this.#options.onProblem(this.problem);
    this.#reject(this.problem);
  }

  #reject(error: AuditError): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.reject(error);
  }
}

function headOf({ node, epoch, step, hash, record, place, digest }: ChainStep): ChainHead {
  return { node, epoch, step, hash, record, place, ...(digest !== undefined && { digest }) };
}

function idOf({ node, epoch, step }: ChainHead): string {
  return `${node}:${epoch}:${step}`;
}
