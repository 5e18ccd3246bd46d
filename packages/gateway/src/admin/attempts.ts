import { addressKey } from "../edge/connection-guard.ts";

const MINUTE = 60_000;
const MOST_OF_ADDRESS = 10;
const MOST = 300;
const ADDRESSES = 10_000;

/** Limits failed logins, by address and in total, so that a secret can't be guessed. */
export class FailedAttempts {
  readonly #failures = new Map<string, number[]>();
  #all: number[] = [];

  /** Whether an address has to wait. */
  isBlocked(address: string | undefined, now: number = Date.now()): boolean {
    const own = this.#recent(this.#failures.get(addressKey(address)) ?? [], now);
    this.#all = this.#recent(this.#all, now);
    return own.length >= MOST_OF_ADDRESS || this.#all.length >= MOST;
  }

  add(address: string | undefined, now: number = Date.now()): void {
    const key = addressKey(address);
    const own = this.#recent(this.#failures.get(key) ?? [], now);
    if (this.#failures.size >= ADDRESSES) this.#failures.clear();
    this.#failures.set(key, [...own, now].slice(-MOST_OF_ADDRESS));
    this.#all.push(now);
  }

  #recent(times: readonly number[], now: number): number[] {
    return times.filter((time) => time > now - MINUTE);
  }
}
