/** How much is remembered. */
export interface ReplayOptions {
  /** Senders. */
  most: number;
  /** Milliseconds that a sender is remembered after its last number. */
  remember: number;
}

interface Seen {
  highest: number;
  /** One bit for each of the last numbers. */
  bits: Uint32Array;
  at: number;
}

const WIDTH = 4096;

/**
 * Lets each number of a sender through once. Numbers may come out of order, by as many places as the window
 * is wide; what is older counts as seen. Memory is bounded: when there are too many senders a new one is
 * turned away rather than an old one forgotten whose numbers could come again.
 */
export class ReplayWindow {
  readonly #options: ReplayOptions;
  readonly #senders = new Map<string, Seen>();

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  /** Whether a number is new; from then on it is not. */
  accept(sender: string, number: number, now: number): boolean {
    const seen = this.#senders.get(sender) ?? this.#greet(sender, now);
    if (!seen || number <= 0 || number <= seen.highest - WIDTH) return false;
    if (number > seen.highest) {
      // A sender has other readers too, so that numbers are left out.
      if (number - seen.highest >= WIDTH) seen.bits.fill(0);
      else for (let each = seen.highest + 1; each < number; each++) clear(seen.bits, each);
      seen.highest = number;
    } else if (isSet(seen.bits, number)) return false;
    set(seen.bits, number);
    seen.at = now;
    return true;
  }

  #greet(sender: string, now: number): Seen | undefined {
    if (this.#senders.size >= this.#options.most) {
      for (const [name, { at }] of this.#senders) {
        if (now - at > this.#options.remember) this.#senders.delete(name);
      }
      if (this.#senders.size >= this.#options.most) return undefined;
    }
    const seen = { highest: 0, bits: new Uint32Array(WIDTH / 32), at: now };
    this.#senders.set(sender, seen);
    return seen;
  }
}

function isSet(bits: Uint32Array, number: number): boolean {
  const place = number % WIDTH;
  return ((bits[place >>> 5] as number) & (1 << (place & 31))) !== 0;
}

function set(bits: Uint32Array, number: number): void {
  const place = number % WIDTH;
  bits[place >>> 5] = (bits[place >>> 5] as number) | (1 << (place & 31));
}

function clear(bits: Uint32Array, number: number): void {
  const place = number % WIDTH;
  bits[place >>> 5] = (bits[place >>> 5] as number) & ~(1 << (place & 31));
}
