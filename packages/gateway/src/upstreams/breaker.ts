import { UpstreamError } from "./upstream.ts";

/** When calls to a server are paused, and for how long. */
export interface BreakerOptions {
  /** Failures within the window that open the breaker, if they are at least half of all calls. */
  failures?: number;
  /** Milliseconds. */
  window?: number;
  /** Milliseconds until a trial call. Doubles with each failed trial. */
  rest?: number;
  now?: () => number;
}

const LONGEST_REST = 60_000;

/** Permission for one call. Exactly one of its functions is called, once. */
export interface Pass {
  succeed(): void;
  fail(): void;
  /** The call doesn't show whether the server works: the caller cancelled it, or the gateway rejected it. */
  drop(): void;
}

/** Outcomes that are remembered, whatever the window. */
const MOST_OUTCOMES = 1000;

/**
 * A circuit breaker. A number of failures alone doesn't open it: one tool that always fails, called by one
 * user, must not block the server for everyone.
 */
export class Breaker {
  readonly #options: Required<BreakerOptions>;
  #outcomes: { at: number; isFailure: boolean }[] = [];
  #opensAt = 0;
  #rest: number;
  #state: "closed" | "open" | "trying" = "closed";

  constructor(options: BreakerOptions = {}) {
    const given = Object.fromEntries(
      Object.entries(options).filter(([, value]) => value !== undefined),
    );
    this.#options = {
      failures: 5,
      window: 10_000,
      rest: 5000,
      now: () => performance.now(),
      ...given,
    };
    this.#rest = this.#options.rest;
  }

  get state(): "closed" | "open" | "trying" {
    return this.#state;
  }

  /** Lets a call pass, or throws `breaker-open`. */
  enter(): Pass {
    if (this.#state === "closed") return this.#pass(false);
    const wait = this.#opensAt - this.#options.now();
    if (this.#state === "trying" || wait > 0) {
      const retryAfter = Math.max(0, Math.ceil(wait));
      const message = `The server failed too often. Calls are paused for ${retryAfter} ms.`;
      throw new UpstreamError("breaker-open", message, { retryAfter });
    }
    this.#state = "trying";
    return this.#pass(true);
  }

  #pass(isTrial: boolean): Pass {
    let isSettled = false;
    const settle = (run: () => void) => (): void => {
      if (!isSettled) run();
      isSettled = true;
    };
    return {
      succeed: settle(() => (isTrial ? this.#close() : this.#count(false))),
      fail: settle(() => (isTrial ? this.#open() : this.#count(true))),
      drop: settle(() => {
        if (isTrial) this.#state = "open";
      }),
    };
  }

  #count(isFailure: boolean): void {
    // Calls that started before the breaker opened don't count.
    if (this.#state !== "closed") return;
    const { window, failures, now } = this.#options;
    const at = now();
    this.#outcomes.push({ at, isFailure });
    if (this.#outcomes.length > MOST_OUTCOMES) this.#outcomes.shift();
    // A success opens nothing, so only failures are worth the count.
    if (!isFailure) return;
    this.#outcomes = this.#outcomes.filter((outcome) => at - outcome.at < window);
    const failed = this.#outcomes.filter((outcome) => outcome.isFailure).length;
    if (failed >= failures && failed * 2 >= this.#outcomes.length) this.#open();
  }

  #open(): void {
    const { now, rest } = this.#options;
    if (this.#state === "trying") this.#rest = Math.min(2 * this.#rest, LONGEST_REST);
    else this.#rest = rest;
    // Jitter, so that many processes don't retry at the same moment.
    this.#opensAt = now() + this.#rest * (1 + Math.random() / 4);
    this.#state = "open";
    this.#outcomes = [];
  }

  #close(): void {
    this.#state = "closed";
    this.#rest = this.#options.rest;
    this.#outcomes = [];
  }
}
