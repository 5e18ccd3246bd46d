/** What tells that a caller gave up. An `AbortSignal` is one. */
export interface CallSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", fn: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", fn: () => void): void;
}

/**
 * The end of one call, as who makes it may bring it about. An `AbortController` does the same, but its signal
 * is an event target with everything that belongs to one, which a call has to pay for.
 */
export class Cancellation implements CallSignal {
  aborted = false;
  reason: unknown;
  #listeners: (() => void)[] | undefined;

  abort(reason: unknown = new DOMException("The call was cancelled.", "AbortError")): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const fn of listeners ?? []) fn();
  }

  addEventListener(_type: "abort", fn: () => void): void {
    if (this.aborted) return;
    if (this.#listeners) this.#listeners.push(fn);
    else this.#listeners = [fn];
  }

  removeEventListener(_type: "abort", fn: () => void): void {
    this.#listeners = this.#listeners?.filter((each) => each !== fn);
  }
}
