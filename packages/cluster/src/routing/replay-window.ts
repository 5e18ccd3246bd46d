/** Limits of the window. */
export interface ReplayOptions {
  /** Maximum number of senders. */
  most: number;
  /** Milliseconds that a sender is remembered after its last number. */
  remember: number;
}

interface Seen {
  highest: number;
  /** The numbers that were accepted, of which only those within the window matter. */
  readonly numbers: Set<number>;
  at: number;
}

const WIDTH = 4096;

/**
 * Accepts each number of a sender once. Numbers may arrive out of order within the width of the window; older
 * ones count as seen. Memory is bounded: at the limit a new sender is rejected. Forgetting an old sender instead
 * would allow its numbers to be replayed.
 */
export class ReplayWindow {
  readonly #options: ReplayOptions;
  readonly #senders = new Map<string, Seen>();

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  /** Whether a number is new. Marks it as seen. */
  accept(sender: string, number: number, now: number): boolean {
    const seen = this.#senders.get(sender) ?? this.#addSender(sender, now);
    if (!seen || number <= 0 || number <= seen.highest - WIDTH) return false;
    const { numbers } = seen;
    if (numbers.has(number)) return false;
    numbers.add(number);
    seen.highest = Math.max(seen.highest, number);
    seen.at = now;
    if (numbers.size > 2 * WIDTH) {
      for (const each of numbers) if (each <= seen.highest - WIDTH) numbers.delete(each);
    }
    return true;
  }

  #addSender(sender: string, now: number): Seen | undefined {
    if (this.#senders.size >= this.#options.most) {
      for (const [name, { at }] of this.#senders) {
        if (now - at > this.#options.remember) this.#senders.delete(name);
      }
      if (this.#senders.size >= this.#options.most) return undefined;
    }
    const seen = { highest: 0, numbers: new Set<number>(), at: now };
    this.#senders.set(sender, seen);
    return seen;
  }
}
