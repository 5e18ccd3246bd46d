/** Limits for unsolicited messages of a server. */
export interface FloodLimits {
  /** Per second, on average. */
  rate: number;
  /** At once. */
  burst: number;
}

/** Far more than any honest server sends. */
export const FLOOD_LIMITS: FloodLimits = { rate: 500, burst: 5000 };

/** Counts messages. `pass` returns false once there were too many. */
export class FloodGate {
  readonly #limits: FloodLimits;
  #left: number;
  #since: number;

  constructor(limits: FloodLimits = FLOOD_LIMITS) {
    this.#limits = limits;
    this.#left = limits.burst;
    this.#since = performance.now();
  }

  pass(): boolean {
    const now = performance.now();
    const { rate, burst } = this.#limits;
    this.#left = Math.min(burst, this.#left + ((now - this.#since) / 1000) * rate) - 1;
    this.#since = now;
    return this.#left >= 0;
  }
}
