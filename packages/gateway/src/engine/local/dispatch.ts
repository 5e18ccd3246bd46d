/** Maximum calls in one turn of the event loop, so that sockets and timers get their share. */
const TURN = 1024;

/**
 * Makes calls later and in order: local watches then behave like remote ones, and nobody is called inside
 * their own call.
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
