import { CredentialError } from "./credential-error.ts";

/** Milliseconds to wait after the first failure. Each further failure doubles it. */
const SHORTEST = 1000;
const LONGEST = 60_000;
/** A server that rejects fresh tokens causes at most one refresh per this many milliseconds. */
const AFTER_REJECTION = 10_000;
const MOST = 10_000;

interface Pause {
  failures: number;
  until: number;
}

/**
 * Tracks when a login may be refreshed again, so that a failing server or authorization server isn't flooded.
 */
export class RefreshPauses {
  readonly #clock: () => number;
  readonly #failed = new Map<string, Pause>();
  readonly #renewed = new Map<string, number>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Throws if the login must not be refreshed yet. */
  check(key: string, { server, isRejected }: { server: string; isRejected: boolean }): void {
    const now = this.#clock();
    const failed = this.#failed.get(key)?.until ?? 0;
    const renewed = isRejected ? (this.#renewed.get(key) ?? 0) : 0;
    const rest = Math.max(failed, renewed) - now;
    if (rest <= 0) return;
    const seconds = Math.ceil(rest / 1000);
    throw new CredentialError(
      "unavailable",
      `The login to "${server}" could not be refreshed. Try again in ${seconds} s.`,
    );
  }

  fail(key: string): void {
    const failures = (this.#failed.get(key)?.failures ?? 0) + 1;
    const pause = Math.min(LONGEST, SHORTEST * 2 ** (failures - 1));
    remember(this.#failed, key, { failures, until: this.#clock() + pause });
  }

  succeed(key: string, { isRejected }: { isRejected: boolean }): void {
    this.#failed.delete(key);
    if (isRejected) remember(this.#renewed, key, this.#clock() + AFTER_REJECTION);
  }
}

function remember<Value>(all: Map<string, Value>, key: string, value: Value): void {
  all.delete(key);
  all.set(key, value);
  const [oldest] = all.keys();
  if (all.size > MOST && oldest !== undefined) all.delete(oldest);
}
