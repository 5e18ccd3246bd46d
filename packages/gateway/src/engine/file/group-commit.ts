import { closedError } from "../errors.ts";

/** Bytes that go to the disk at once. */
const MOST_BYTES = 4 * 2 ** 20;

/** One who waits for the disk. */
export interface Waiting<Item, Result> {
  readonly item: Item;
  readonly bytes: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Collects what arrives while the disk is busy and writes it together: many wait for one sync. `write`
 * answers each of its items; when it throws, all of them hear that.
 */
export class GroupCommit<Item, Result> {
  readonly #write: (items: readonly Waiting<Item, Result>[]) => Promise<void>;
  #waiting: Waiting<Item, Result>[] = [];
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(write: (items: readonly Waiting<Item, Result>[]) => Promise<void>) {
    this.#write = write;
  }

  add(item: Item, bytes: number): Promise<Result> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, bytes, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when everything added so far was answered; nothing more is taken. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // Whoever adds in the same turn shares the sync.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const items = this.#take();
      try {
        await this.#write(items);
      } catch (error) {
        for (const { reject } of items) reject(error);
      }
    }
    this.#running = undefined;
  }

  #take(): Waiting<Item, Result>[] {
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      bytes += waiting.bytes;
      if (count > 0 && bytes > MOST_BYTES) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }
}
