// Takes records at the speed of calls and stores them at the speed of a disk: lines are collected for fifty
// milliseconds or 256 KiB, become steps of the chain, and several steps go to the engine at once. A batch that
// the engine did not take is offered again, the same bytes under the same id, until it does.

import type { Engine } from "../engine/engine.ts";
import { addRecord, LINE_HEAD, STEP_HEAD, stepSheet } from "./chain.ts";
import { type ChainStep, type ChainWriter, readStepsSince, writeHead } from "./chain-writer.ts";
import { type AuditError, closedError, lostError, refusedError } from "./errors.ts";
import type { ChainHead } from "./sealed-head.ts";
import type { Sheet } from "./sheet.ts";

const STEP_BYTES = 64 * 1024;
const STEP_TIME = 50;
const BATCH_BYTES = 512 * 1024;
/** Bytes that are stored at once, however young: to sync a little costs as much as to sync a lot. */
const FLUSH_BYTES = 256 * 1024;
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 2_000;
const HEAD_TIME = 1_000;
/** Sheets that are kept for use again. */
const SPARE = 8;

interface Batch {
  readonly steps: readonly ChainStep[];
  readonly sheets: readonly Sheet[];
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
  /** Hears how many lines are stored. */
  onStored?: ((count: number) => void) | undefined;
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
  /** Lines that are in no batch yet; more go on the last of these. */
  #sheets: Sheet[] = [];
  readonly #spare: Sheet[] = [];
  /** Bytes of those lines. */
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
    const step = chain.next();
    const { first } = await engine.log.append(partition, [step.bytes], { id: idOf(step) });
    const head = { ...headOf(step), place: first };
    await writeHead(engine, head, chain.key);
    return new Spool(options, head);
  }

  add(line: string): void {
    const bytes = line.length + LINE_HEAD;
    addRecord(this.#sheetFor(bytes), line);
    this.taken += 1;
    this.bytes += bytes;
    this.#fresh += bytes;
    if (this.#fresh >= FLUSH_BYTES) this.#flush();
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
    return this.when(isDone);
  }

  /** Resolves when a condition holds after records were stored, rejects when the engine does not take them. */
  when(isDone: () => boolean): Promise<void> {
    if (isDone()) return Promise.resolve();
    if (this.problem) return Promise.reject(this.problem);
    return new Promise((resolve, reject) => this.#waiters.push({ isDone, resolve, reject }));
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
    await this.#writeHead();
    if (left > 0) throw problem;
  }

  #sheetFor(bytes: number): Sheet {
    const last = this.#sheets.at(-1);
    if (last?.hasRoom(bytes)) return last;
    const usual = Math.min(STEP_BYTES, this.#options.engine.caps.maxBytes / 2 - STEP_HEAD);
    const spare = bytes <= usual ? this.#spare.pop() : undefined;
    const sheet = spare ?? stepSheet(Math.max(bytes, usual));
    this.#sheets.push(sheet);
    return sheet;
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
    if (this.#sheets.length > 0 && !this.#isOver) this.#flushLater();
  }

  // On a fast disk each record would else become a step of its own.
  get #isPressed(): boolean {
    return this.#ending || this.#fresh >= FLUSH_BYTES || this.stored < this.#urgent;
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
    if (this.#sheets.length === 0 && !end) return undefined;
    const { chain, engine } = this.#options;
    const most = Math.min(BATCH_BYTES, engine.caps.maxBytes / 2);
    const sheets: Sheet[] = [];
    let bytes = 0;
    let count = 0;
    for (let room = most; room > 0; ) {
      const next = this.#sheets[0];
      if (!next || (sheets.length > 0 && next.size + STEP_HEAD > room)) break;
      this.#sheets.shift();
      sheets.push(next);
      bytes += next.size;
      count += next.count;
      room -= next.size + STEP_HEAD;
    }
    const steps = sheets.map((sheet) => chain.next(sheet));
    this.#fresh -= bytes;
    const isLast = end && this.#sheets.length === 0;
    if (isLast) steps.push(chain.next(undefined, { end: true }));
    return { steps, sheets, bytes, last: this.stored + count, end: isLast, since: Date.now() };
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
    for (const sheet of batch.sheets) this.#reuse(sheet);
    this.#options.onStored?.(this.stored);
    this.#headTimer ??= setTimeout(() => this.#leaveHead(), HEAD_TIME).unref();
    this.#waiters = this.#waiters.filter((waiter) => {
      if (waiter.isDone()) waiter.resolve();
      return !waiter.isDone();
    });
  }

  // Fresh memory costs more than what is written to it.
  #reuse(sheet: Sheet): void {
    if (this.#spare.length === SPARE || sheet.bytes.length > 2 * STEP_BYTES) return;
    sheet.clear();
    this.#spare.push(sheet);
  }

  #leaveHead(): void {
    this.#headTimer = undefined;
    void this.#writeHead();
  }

  async #writeHead(): Promise<void> {
    const { engine, chain } = this.#options;
    // It only makes a lost end visible; the next one is a second away.
    await writeHead(engine, this.head, chain.key).catch(() => {});
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
