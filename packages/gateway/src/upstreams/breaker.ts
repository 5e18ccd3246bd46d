import { now } from "../monotonic-clock.ts";
import { UpstreamError } from "./upstream.ts";

/** When a server is left alone, and for how long. */
export interface BreakerOptions {
  /** Failures within the window that open it, if they are at least half of all calls. */
  failures?: number;
  /** Milliseconds. */
  window?: number;
  /** Milliseconds before one call may try again; doubles with each that fails. */
  rest?: number;
  longestRest?: number;
  now?: () => number;
}

/** A pass for one call; exactly one of its functions is called, once. */
export interface Pass {
  succeed(): void;
  fail(): void;
  /** The call says nothing about the server: its caller gave up, or it was turned away here. */
  drop(): void;
}

/**
 * Keeps calls away from a server that fails. Failures alone do not open it: one tool that always breaks,
 * called by one user, must not take the server from all others.
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
      longestRest: 60_000,
      now,
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
      const message = `The server failed too often and is left alone for ${retryAfter} ms.`;
      throw new UpstreamError("breaker-open", message, { retryAfter });
    }
    this.#state = "trying";
    return this.#pass(true);
  }

  #pass(isTrial: boolean): Pass {
    return new BreakerPass(isTrial, this.#settle);
  }

  // One function for all passes, not one each.
  readonly #settle = (outcome: PassOutcome, isTrial: boolean): void => {
    if (outcome === "dropped") {
      if (isTrial) this.#state = "open";
    } else if (!isTrial) this.#count(outcome === "failed");
    else if (outcome === "failed") this.#open();
    else this.#close();
  };

  #count(isFailure: boolean): void {
    // What began before it opened is no news.
    if (this.#state !== "closed") return;
    // The common case stays cheap: without failures nothing needs to be remembered.
    if (!isFailure && this.#outcomes.length === 0) return;
    const { window, failures, now } = this.#options;
    const at = now();
    if (!isFailure && !this.#outcomes.some((outcome) => outcome.isFailure)) {
      this.#outcomes = [];
      return;
    }
    this.#outcomes.push({ at, isFailure });
    this.#outcomes = this.#outcomes.filter((outcome) => at - outcome.at < window).slice(-1000);
    const failed = this.#outcomes.filter((outcome) => outcome.isFailure).length;
    if (failed >= failures && failed * 2 >= this.#outcomes.length) this.#open();
  }

  #open(): void {
    const { now, longestRest, rest } = this.#options;
    if (this.#state === "trying") this.#rest = Math.min(2 * this.#rest, longestRest);
    else this.#rest = rest;
    // So that many processes do not knock at the same moment.
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

type PassOutcome = "succeeded" | "failed" | "dropped";

class BreakerPass implements Pass {
  readonly #isTrial: boolean;
  #settle: ((outcome: PassOutcome, isTrial: boolean) => void) | undefined;

  constructor(isTrial: boolean, settle: (outcome: PassOutcome, isTrial: boolean) => void) {
    this.#isTrial = isTrial;
    this.#settle = settle;
  }

  succeed(): void {
    this.#end("succeeded");
  }

  fail(): void {
    this.#end("failed");
  }

  drop(): void {
    this.#end("dropped");
  }

  #end(outcome: PassOutcome): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(outcome, this.#isTrial);
  }
}
