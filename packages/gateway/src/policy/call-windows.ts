// Counts calls per calendar minute and day, for all gateways that share an engine. A process reserves calls in
// advance, a part of what is left, so that most calls need no request to the engine. The count never exceeds
// the limit. A process that is killed loses what it had reserved; one that is closed returns it.

import { setTimeout as sleep } from "node:timers/promises";
import { hashOf } from "../crypto/stable-hash.ts";
import type { Engine, Kv } from "../engine/engine.ts";
import { EngineError } from "../engine/engine-error.ts";

/** The length of a window. */
export type Window = "minute" | "day";

const SIZES: Readonly<Record<Window, number>> = { minute: 60_000, day: 86_400_000 };
/** A process reserves this part of the calls that are left. */
const PART = 32;
/** Milliseconds until a process asks again whether others returned calls. */
const RECHECK = 1000;
const ATTEMPTS = 20;
const SWEEP = 4096;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Reserved {
  readonly window: Window;
  readonly key: string;
  /** The number of the window since 1970. */
  readonly number: number;
  left: number;
  /** When the last attempt found that no calls were left. */
  emptyAt: number;
  reserving: Promise<void> | undefined;
}

/** The counters of one process. */
export class CallWindows {
  readonly #buckets: Readonly<Record<Window, Kv>>;
  readonly #reserved = new Map<string, Reserved>();
  readonly #now: () => number;

  constructor(engine: Engine, { now = Date.now }: { now?: () => number } = {}) {
    // A value that can't be read must not permit more calls.
    const unreadable = "fail";
    this.#buckets = {
      minute: engine.kv("quota-minutes", { ttl: 2 * SIZES.minute, unreadable }),
      day: engine.kv("quota-days", { ttl: 2 * SIZES.day, durable: true, unreadable }),
    };
    this.#now = now;
  }

  /** Takes one of `limit` calls. Resolves to a function that returns it, or to the milliseconds until the next window. */
  async take(key: string, limit: number, window: Window): Promise<(() => void) | number> {
    for (;;) {
      const reserved = this.#find(key, window);
      if (reserved.left > 0) {
        reserved.left -= 1;
        return () => {
          reserved.left += 1;
        };
      }
      const now = this.#now();
      if (now - reserved.emptyAt < RECHECK) return SIZES[window] - (now % SIZES[window]);
      reserved.reserving ??= this.#reserve(reserved, limit).finally(() => {
        reserved.reserving = undefined;
      });
      await reserved.reserving;
    }
  }

  /** Returns what this process reserved for the day and didn't use. */
  async close(): Promise<void> {
    const unused = [...this.#reserved.values()].filter(
      ({ left, window }) => left > 0 && window === "day",
    );
    this.#reserved.clear();
    const returned = unused.map((each) => this.#change(each, (used) => used - each.left));
    await Promise.allSettled(returned);
  }

  #find(key: string, window: Window): Reserved {
    const name = `${window} ${key}`;
    const number = Math.floor(this.#now() / SIZES[window]);
    const known = this.#reserved.get(name);
    if (known?.number === number) return known;
    if (this.#reserved.size >= SWEEP) this.#sweep();
    const reserved = { window, key, number, left: 0, emptyAt: -Infinity, reserving: undefined };
    this.#reserved.set(name, reserved);
    return reserved;
  }

  async #reserve(reserved: Reserved, limit: number): Promise<void> {
    const before = await this.#change(reserved, (used) =>
      used >= limit ? used : used + partOf(limit - used),
    );
    if (before >= limit) reserved.emptyAt = this.#now();
    else reserved.left += partOf(limit - before);
  }

  /** Changes the shared count. Resolves to the count before. */
  async #change(
    { key, number, window }: Reserved,
    change: (used: number) => number,
  ): Promise<number> {
    const bucket = this.#buckets[window];
    const name = `${hashOf(key)}.${number}`;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const entry = await bucket.get(name);
      const used = entry ? Number(decoder.decode(entry.value)) : 0;
      const next = Math.max(0, change(used));
      if (next === used) return used;
      const value = encoder.encode(`${next}`);
      try {
        await (entry ? bucket.update(name, value, entry.revision) : bucket.create(name, value));
        return used;
      } catch (error) {
        const isRace = error instanceof EngineError && /^(conflict|exists)$/.test(error.code);
        if (!isRace) throw error;
        await sleep(Math.random() * 2 * attempt);
      }
    }
    throw new EngineError("unavailable", "Too many gateways change a counter at once. Try again.");
  }

  /** Forgets the windows that are over. */
  #sweep(): void {
    const now = this.#now();
    for (const [name, { number, window }] of this.#reserved) {
      if (number < Math.floor(now / SIZES[window])) this.#reserved.delete(name);
    }
  }
}

function partOf(left: number): number {
  return Math.max(1, Math.floor(left / PART));
}
