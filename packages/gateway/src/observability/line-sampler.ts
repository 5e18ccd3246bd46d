/** What to do with lines of one kind. */
export interface SamplerOptions {
  /** Lines of a kind that are written in a period. */
  each?: number;
  /** Milliseconds. */
  period?: number;
  /** Called at the end of a period with the number of lines that weren't written. */
  onMore(kind: string, count: number): void;
}

const EACH = 10;
const PERIOD = 60_000;
const MOST_KINDS = 256;

/** Keeps a caller from filling the log: writes the first lines of each kind in a minute and counts the others. */
export class LineSampler {
  readonly #options: SamplerOptions;
  readonly #seen = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SamplerOptions) {
    this.#options = options;
  }

  /** Whether to write a line. Otherwise it was counted. */
  take(given: string): boolean {
    const { each = EACH, period = PERIOD } = this.#options;
    const kind = this.#seen.has(given) || this.#seen.size < MOST_KINDS ? given : "other";
    this.#timer ??= setTimeout(() => this.flush(), period).unref();
    const count = (this.#seen.get(kind) ?? 0) + 1;
    this.#seen.set(kind, count);
    return count <= each;
  }

  /** Ends the period. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { each = EACH, onMore } = this.#options;
    const seen = [...this.#seen];
    this.#seen.clear();
    for (const [kind, count] of seen) if (count > each) onMore(kind, count - each);
  }
}
