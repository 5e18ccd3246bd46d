/** How long a strike counts, and how many keys are tracked. */
export interface StrikesOptions {
  /** Milliseconds since the last strike. */
  period: number;
  most: number;
  clock: () => number;
}

interface Entry {
  count: number;
  until: number;
}

/** Counts failures by key for a limited time. Drops the oldest keys when there are too many. */
export class Strikes {
  readonly #options: StrikesOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: StrikesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  add(key: string): void {
    const { period, most, clock } = this.#options;
    const count = (this.#find(key)?.count ?? 0) + 1;
    // Reinsert, so that the map is ordered by the last strike.
    this.#entries.delete(key);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < most) break;
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { count, until: clock() + period });
  }

  /** Milliseconds until a key with this many strikes is free again. Undefined for any other key. */
  timeLeft(key: string, limit: number): number | undefined {
    const entry = this.#find(key);
    return entry && entry.count >= limit ? entry.until - this.#options.clock() : undefined;
  }

  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (!entry || entry.until > this.#options.clock()) return entry;
    this.#entries.delete(key);
    return undefined;
  }
}
