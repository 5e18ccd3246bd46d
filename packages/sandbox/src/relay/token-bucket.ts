import type { RelayLimits } from "./page-settings.ts";

/** A second: the time within which refusals count as one burst. */
const BURST_TIME = 1000;
/** After a minute without a refusal, old bursts are forgotten. */
const MEMORY = 60_000;

/**
 * Counts messages before they are read, because reading is the slow part. Messages above the rate
 * are dropped; a View that continues is stopped, because it is broken or hostile.
 */
export class TokenBucket {
  readonly #limits: RelayLimits;
  #tokens: number;
  #filledAt: number;
  #burstAt: number = Number.NEGATIVE_INFINITY;
  #bursts = 0;

  constructor(limits: RelayLimits, now: number) {
    this.#limits = limits;
    this.#tokens = limits.burst;
    this.#filledAt = now;
  }

  /** Whether one more message may pass. */
  take(now: number): "pass" | "drop" | "stop" {
    const { rate, burst, bursts } = this.#limits;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) * rate) / 1000);
    this.#filledAt = now;
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return "pass";
    }
    if (now - this.#burstAt > MEMORY) this.#bursts = 0;
    if (now - this.#burstAt >= BURST_TIME) {
      this.#burstAt = now;
      this.#bursts += 1;
    }
    return this.#bursts > bursts ? "stop" : "drop";
  }

  /** A message that passed the rate limit but is invalid counts as ten valid ones. */
  charge(): void {
    this.#tokens -= this.#limits.burst / 20;
  }
}
