/** Most calls in one turn of the event loop: sockets and timers get theirs between. */
const TURN = 1024;

/**
 * Makes calls later, in their order: what is in one process behaves as if there were a wire between, and
 * nobody is called inside a call of its own.
 */
export class Dispatch {
  #waiting: (() => void)[] = [];
  #scheduled = false;
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  later(call: () => void): void {
    this.#waiting.push(call);
    this.#schedule();
  }

  clear(): void {
    this.#waiting = [];
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    const calls = this.#waiting.splice(0, TURN);
    this.#scheduled = false;
    for (const call of calls) {
      try {
        call();
      } catch (error) {
        this.#onError(error);
      }
    }
    if (this.#waiting.length > 0) this.#schedule();
  }
}
