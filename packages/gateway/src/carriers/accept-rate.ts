import { now } from "../monotonic-clock.ts";

const SECOND = 1000;
/** Milliseconds that a connection waits at most before it is accepted. */
const LONGEST_WAIT = 4000;
/** What all addresses may open together, as a multiple of one address's. */
const ADDRESSES = 4;
const SWEEP = 4096;

/**
 * When thousands of clients reconnect at once, they are accepted one after the other: a second's worth at
 * once, a few seconds' worth wait, the others have to retry. Per address, so that one client can't take the
 * turns of all.
 */
export class AcceptRate {
  readonly #perSecond: number;
  /** For each address, the time when its next connection may be accepted. */
  readonly #next = new Map<string, number>();
  #nextOfAll = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Milliseconds to wait for, or `undefined` if there are too many already. */
  take(address: string): number | undefined {
    const at = now();
    const own = after(this.#next.get(address) ?? 0, at, this.#perSecond);
    const ofAll = after(this.#nextOfAll, at, this.#perSecond * ADDRESSES);
    const wait = Math.max(own, ofAll) - at;
    if (wait > LONGEST_WAIT) return undefined;
    if (this.#next.size >= SWEEP) this.#sweep(at);
    this.#next.set(address, own);
    this.#nextOfAll = ofAll;
    return Math.max(0, wait);
  }

  #sweep(at: number): void {
    for (const [address, next] of this.#next) {
      if (next < at - SECOND) this.#next.delete(address);
    }
  }
}

/** The time of the next turn; those of a second that nobody used are still there. */
function after(last: number, at: number, perSecond: number): number {
  return Math.max(last, at - SECOND) + SECOND / perSecond;
}
