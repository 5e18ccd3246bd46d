/** How long to wait before a process that ended is started again. */
export interface RestartOptions {
  /** Milliseconds after the first failure; doubles with each that follows. */
  first: number;
  longest: number;
  /** Milliseconds a process must have lived for its failures to be forgotten. */
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

  /** Milliseconds until it may be started. */
  get wait(): number {
    return Math.max(0, this.#notBefore - performance.now());
  }

  /** It ended after living for `lived` milliseconds. */
  fail(lived: number): void {
    const { first, longest, stable } = this.#options;
    this.#failures = lived >= stable ? 1 : this.#failures + 1;
    const wait = Math.min(longest, first * 2 ** Math.min(this.#failures - 1, 30));
    this.#notBefore = performance.now() + wait;
  }
}
