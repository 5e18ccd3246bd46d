const SECOND = 1000;
/**
 * Milliseconds that a connection waits at most before it is accepted. The connections that wait must stay
 * below `connectionsPerAddress` of the connection guard: it would close the oldest ones, whose turn is next.
 */
const LONGEST_WAIT = 1500;
/** The limit for all addresses together, as a multiple of the limit per address. */
const ADDRESSES = 4;
const SWEEP = 4096;

/**
 * Accepts connections at a limited rate when thousands of clients reconnect at once: one second's worth
 * immediately, a few seconds' worth after a wait, and the others have to retry. Limited per address, so that
 * one client can't use up the whole rate.
 */
export class AcceptRate {
  readonly #perSecond: number;
  /** For each address, the time when its next connection may be accepted. */
  readonly #next = new Map<string, number>();
  #nextOfAll = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Milliseconds to wait, or `undefined` if too many are waiting already. */
  take(address: string): number | undefined {
    const at = performance.now();
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

/** The time of the next free turn. Unused turns of the last second can still be used. */
function after(last: number, at: number, perSecond: number): number {
  return Math.max(last, at - SECOND) + SECOND / perSecond;
}
