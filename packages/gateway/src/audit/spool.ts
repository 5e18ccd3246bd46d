// Takes records at the speed of calls and stores them at the speed of a disk: lines are collected for ten
// milliseconds or 64 KiB, become steps of the chain, and several steps go to the engine at once. A batch that
// the engine did not take is offered again, the same bytes under the same id, until it does.

import type { Engine } from "../engine/engine.ts";
import type { EncodedStep } from "./chain.ts";
import { type ChainHead, type ChainWriter, readStepsSince, writeHead } from "./chain-writer.ts";
import { type AuditError, closedError, lostError, refusedError } from "./errors.ts";

const STEP_BYTES = 64 * 1024;
const STEP_TIME = 10;
/** What a step has beside its lines, and a line beside its record. */
const STEP_HEAD = 1_024;
const LINE_HEAD = 10;
const BATCH_BYTES = 512 * 1024;
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 2_000;
const HEAD_TIME = 1_000;

interface Batch {
  readonly steps: readonly (EncodedStep & ChainHead)[];
  /** Of its lines. */
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
  partition: string;
  /** Hears when the engine stops taking records, and, with nothing, when it does again. */
  onProblem(error: AuditError | undefined): void;
  /** Hears when something was stored, with the lines that are not. */
  onStored?: ((left: readonly string[]) => void) | undefined;
}

/** Lines on their way to the engine. */
export class Spool {
  /** Why the engine does not take records, as long as it does not. */
  problem: AuditError | undefined;
  /** Bytes that are not stored. */
  bytes = 0;
  /** Lines taken and lines stored. */
  taken = 0;
  stored = 0;
  head: ChainHead;
  readonly #options: SpoolOptions;
  #lines: string[] = [];
  /** Bytes of lines that are in no batch yet. */
  #fresh = 0;
  /** Somebody waits for the lines up to this one. */
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

  /** Stores the chain's first step, which says that this life began. */
  static async open(options: SpoolOptions): Promise<Spool> {
    const { engine, chain, partition } = options;
    const step = chain.next([]);
    const { first } = await engine.log.append(partition, [step.bytes], { id: idOf(step) });
    const head = { ...headOf(step), place: first };
    await writeHead(engine, head);
    return new Spool(options, head);
  }

  add(line: string): void {
    const bytes = line.length + LINE_HEAD;
    this.#lines.push(line);
    this.taken += 1;
    this.bytes += bytes;
    this.#fresh += bytes;
    if (this.#fresh >= STEP_BYTES) this.#flush();
    else if (!this.#running) this.#flushLater();
  }

  /** Resolves when all that was taken so far is stored, rejects when the engine does not take it. */
  flushed(): Promise<void> {
    const last = this.taken;
    const isDone = (): boolean => this.stored >= last;
    if (!isDone()) {
      this.#urgent = last;
      // Whoever asks in the same turn shares the step.
      setImmediate(() => this.#flush());
    }
    return this.#when(isDone);
  }

  /** Resolves when so few bytes wait, rejects when the engine does not take them. */
  drained(bytes: number): Promise<void> {
    return this.#when(() => this.bytes <= bytes);
  }

  /** Stores what is left and the chain's last step, for so long. */
  async close(time: number): Promise<void> {
    this.#ending = true;
    this.#flush();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, time);
    });
    await Promise.race([this.#running, late]);
    clearTimeout(timer);
    clearTimeout(this.#headTimer);
    this.#isOver = true;
    const left = this.taken - this.stored;
    const problem = left > 0 ? lostError(left, this.problem) : closedError();
    this.#reject(problem);
    await writeHead(this.#options.engine, this.head).catch(() => {});
    if (left > 0) throw problem;
  }

  #when(isDone: () => boolean): Promise<void> {
    if (isDone()) return Promise.resolve();
    if (this.problem) return Promise.reject(this.problem);
    return new Promise((resolve, reject) => this.#waiters.push({ isDone, resolve, reject }));
  }

  #flushLater(): void {
    this.#timer ??= setTimeout(() => this.#flush(), STEP_TIME);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#run();
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

  // On a fast disk each record would else become a step of its own.
  get #isPressed(): boolean {
    return this.#ending || this.#fresh >= STEP_BYTES || this.stored < this.#urgent;
  }

  async #store({ steps, since }: Batch): Promise<number> {
    const { engine, partition } = this.#options;
    const first = steps[0] as ChainHead;
    // By now the engine may have forgotten the id of an append whose answer got lost.
    if (this.problem && Date.now() - since > engine.caps.dedupeTime / 2) {
      const stored = await readStepsSince(engine, partition, this.head);
      const place = stored.get(first.step);
      if (place !== undefined) return place;
    }
    const bytes = steps.map((step) => step.bytes);
    return (await engine.log.append(partition, bytes, { id: idOf(first) })).first;
  }

  #nextBatch(): Batch | undefined {
    const end = this.#ending;
    if (this.#lines.length === 0 && !end) return undefined;
    const { chain, engine } = this.#options;
    const most = Math.min(BATCH_BYTES, engine.caps.maxBytes / 2);
    const steps: (EncodedStep & ChainHead)[] = [];
    let at = 0;
    let bytes = 0;
    for (let room = most; at < this.#lines.length && room > 0; ) {
      const from = at;
      let size = 0;
      while (at < this.#lines.length && size < Math.min(STEP_BYTES, room)) {
        size += (this.#lines[at] as string).length + LINE_HEAD;
        at += 1;
      }
      steps.push(chain.next(this.#lines.slice(from, at)));
      bytes += size;
      room -= size + STEP_HEAD;
    }
    this.#lines.splice(0, at);
    this.#fresh -= bytes;
    const isLast = end && this.#lines.length === 0;
    if (isLast) steps.push(chain.next([], { end: true }));
    return { steps, bytes, last: this.stored + at, end: isLast, since: Date.now() };
  }

  #keep(batch: Batch, place: number): void {
    this.#batch = undefined;
    this.bytes -= batch.bytes;
    this.stored = batch.last;
    this.head = { ...headOf(batch.steps.at(-1) as ChainHead), place };
    if (this.problem) {
      this.problem = undefined;
      this.#options.onProblem(undefined);
    }
    this.#options.onStored?.(this.#lines);
    this.#headTimer ??= setTimeout(() => this.#leaveHead(), HEAD_TIME).unref();
    this.#waiters = this.#waiters.filter((waiter) => {
      if (waiter.isDone()) waiter.resolve();
      return !waiter.isDone();
    });
  }

  #leaveHead(): void {
    this.#headTimer = undefined;
    // It only makes a lost end visible; the next one is a second away.
    writeHead(this.#options.engine, this.head).catch(() => {});
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

function headOf({ node, epoch, step, hash, record, place }: ChainHead): ChainHead {
  return { node, epoch, step, hash, record, place };
}

function idOf({ node, epoch, step }: ChainHead): string {
  return `${node}:${epoch}:${step}`;
}
