/** Times are rounded up to this: one timer for all who wait, where a timer each would cost more than a call. */
const TICK = 20;

/** Calls back when the time of an id is over. Who has his answer is forgotten by the caller, not here. */
export class Deadlines {
  readonly #due = new Map<number, number[]>();
  readonly #onDue: (id: number) => void;
  /** Ticks up to here are over. */
  #past = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(onDue: (id: number) => void) {
    this.#onDue = onDue;
  }

  add(id: number, milliseconds: number): void {
    const tick = Math.ceil((performance.now() + milliseconds) / TICK);
    if (this.#due.size === 0) this.#past = tick - 1;
    else this.#past = Math.min(this.#past, tick - 1);
    const ids = this.#due.get(tick);
    if (ids) ids.push(id);
    else this.#due.set(tick, [id]);
    this.#timer ??= setInterval(() => this.#look(), TICK).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#due.clear();
  }

  #look(): void {
    const now = Math.floor(performance.now() / TICK);
    // One after the other: there are thousands of later ones.
    while (this.#past < now && this.#due.size > 0) {
      this.#past += 1;
      const ids = this.#due.get(this.#past);
      if (!ids) continue;
      this.#due.delete(this.#past);
      for (const id of ids) this.#onDue(id);
    }
    if (this.#due.size === 0) this.close();
  }
}
