import { sandboxError } from "./errors.ts";

/**
 * Where Views wait to be opened. With several servers it has to be one store for all of them, and
 * `take` and `add` have to be atomic there: `GETDEL` and `INCR` of Redis are.
 */
export interface ViewStore {
  /** Keeps a text for some milliseconds; throws when there is no room. */
  put(key: string, text: string, options: { ttl: number }): Promise<void>;
  /** Reads a text. */
  get(key: string): Promise<string | undefined>;
  /** Reads and deletes a text in one step: of two concurrent callers, one gets it (E104, G146). */
  take(key: string): Promise<string | undefined>;
  /** Counts: the sum after adding, from the first time on for some milliseconds. */
  add(key: string, amount: number, options: { ttl: number }): Promise<number>;
  /** Forgets everything. */
  close(): void;
}

/** Bounds of a store in memory. */
export interface MemoryStoreOptions {
  /** Texts and counters at once. */
  entries?: number;
  /** Bytes of all texts, two for each character. */
  bytes?: number;
  /** Milliseconds since any fixed point. */
  clock?: () => number;
}

interface Entry {
  text: string;
  count: number;
  until: number;
}

const mebi = 2 ** 20;

/** A store for one process. */
export function createMemoryStore(options: MemoryStoreOptions = {}): ViewStore {
  return new MemoryStore(options);
}

class MemoryStore implements ViewStore {
  readonly #kept = new Map<string, Entry>();
  readonly #entries: number;
  readonly #bytes: number;
  readonly #clock: () => number;
  #used = 0;

  constructor({ entries = 100_000, bytes = 256 * mebi, clock = Date.now }: MemoryStoreOptions) {
    this.#entries = entries;
    this.#bytes = bytes;
    this.#clock = clock;
  }

  async put(key: string, text: string, { ttl }: { ttl: number }): Promise<void> {
    this.#drop(key);
    // A new View never evicts a waiting one: otherwise a flood would remove other users' views.
    if (!this.#hasRoom(text)) throw sandboxError("store-full", `${this.#kept.size} entries`);
    this.#kept.set(key, { text, count: 0, until: this.#clock() + ttl });
    this.#used += size(text);
  }

  async get(key: string): Promise<string | undefined> {
    return this.#read(key)?.text;
  }

  async take(key: string): Promise<string | undefined> {
    // No `await` between reading and deleting, so that it is one step.
    const text = this.#read(key)?.text;
    this.#drop(key);
    return text;
  }

  async add(key: string, amount: number, { ttl }: { ttl: number }): Promise<number> {
    const entry = this.#read(key);
    if (entry) {
      entry.count += amount;
      return entry.count;
    }
    // Callers reject counts above a limit, so without room every count is above it.
    if (!this.#hasRoom("")) return Number.POSITIVE_INFINITY;
    this.#kept.set(key, { text: "", count: amount, until: this.#clock() + ttl });
    return amount;
  }

  close(): void {
    this.#kept.clear();
    this.#used = 0;
  }

  #read(key: string): Entry | undefined {
    const entry = this.#kept.get(key);
    if (!entry || entry.until > this.#clock()) return entry;
    this.#drop(key);
    return undefined;
  }

  #drop(key: string): void {
    const entry = this.#kept.get(key);
    if (!entry) return;
    this.#kept.delete(key);
    this.#used -= size(entry.text);
  }

  #hasRoom(text: string): boolean {
    const fits = (): boolean =>
      this.#kept.size < this.#entries && this.#used + size(text) <= this.#bytes;
    if (fits()) return true;
    const now = this.#clock();
    for (const [key, { until }] of this.#kept) if (until <= now) this.#drop(key);
    return fits();
  }
}

function size(text: string): number {
  return text.length * 2;
}
