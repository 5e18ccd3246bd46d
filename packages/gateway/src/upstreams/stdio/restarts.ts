/** How long to wait before a process that ended is restarted. */
export interface RestartOptions {
  /** Milliseconds after the first failure. Doubles with each further failure. */
  first: number;
  longest: number;
  /** Milliseconds that a process must run for its failures to be reset. */
  stable: number;
}

/** The defaults. */
export const RESTARTS: RestartOptions = { first: 500, longest: 30_000, stable: 30_000 };

/** Counts the failures of one process. */
export class Restarts {
  readonly #options: RestartOptions;
  #failures = 0;
  #notBefore = 0;

  constructor(options: RestartOptions) {
    this.#options = options;
  }

  /** Milliseconds until the process may be started. */
  get wait(): number {
    return Math.max(0, this.#notBefore - performance.now());
  }

  /** Records that the process ended after `lived` milliseconds. */
  fail(lived: number): void {
    const { first, longest, stable } = this.#options;
    this.#failures = lived >= stable ? 1 : this.#failures + 1;
    const wait = Math.min(longest, first * 2 ** Math.min(this.#failures - 1, 30));
    this.#notBefore = performance.now() + wait;
  }
}
