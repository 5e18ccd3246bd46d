import type { LogRecord } from "../engine.ts";

/** What a group hands on at once. */
const MOST_RECORDS = 256;
const MOST_BYTES = 256 * 1024;
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 5_000;

type Consumer = (batch: readonly LogRecord[]) => Promise<void>;

/** Where a group reads from, and where it remembers how far it came. */
export interface GroupSource {
  read(from: number): AsyncIterable<LogRecord>;
  /** Resolves when a restart would go on from there. */
  remember(next: number): Promise<void>;
  onError(error: unknown): void;
}

/** The consumers of a partition that share the work: one batch at a time, so that order holds. */
export class ConsumerGroup {
  readonly #consumers: Consumer[] = [];
  readonly #source: GroupSource;
  #next: number;
  #isRunning = false;
  #isWoken = false;
  #closed = false;
  #pause = FIRST_PAUSE;

  constructor(source: GroupSource, next: number) {
    this.#source = source;
    this.#next = next;
  }

  add(fn: Consumer): () => void {
    const consumer: Consumer = (batch) => fn(batch);
    this.#consumers.push(consumer);
    this.wake();
    return () => {
      const place = this.#consumers.indexOf(consumer);
      if (place >= 0) this.#consumers.splice(place, 1);
    };
  }

  /** Says that there is more to read. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isRunning) void this.#run();
  }

  close(): void {
    this.#closed = true;
  }

  get #isIdle(): boolean {
    return this.#closed || this.#consumers.length === 0;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isWoken && !this.#isIdle) {
      this.#isWoken = false;
      try {
        if (await this.#handOn()) this.#isWoken = true;
        this.#pause = FIRST_PAUSE;
      } catch (error) {
        if (this.#closed) break;
        this.#source.onError(error);
        this.#isWoken = true;
        await rest(this.#pause);
        this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
      }
    }
    this.#isRunning = false;
  }

  // Whether there was something.
  async #handOn(): Promise<boolean> {
    const batch = await this.#batch();
    const last = batch.at(-1);
    const consumer = this.#consumers.shift();
    if (!consumer) return false;
    this.#consumers.push(consumer);
    if (!last || this.#closed) return false;
    await consumer(batch);
    this.#next = last.sequence + 1;
    await this.#source.remember(this.#next);
    return true;
  }

  async #batch(): Promise<LogRecord[]> {
    const batch: LogRecord[] = [];
    let bytes = 0;
    for await (const record of this.#source.read(this.#next)) {
      bytes += record.record.length;
      if (batch.length > 0 && bytes > MOST_BYTES) break;
      batch.push(record);
      if (batch.length === MOST_RECORDS) break;
    }
    return batch;
  }
}

function rest(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
