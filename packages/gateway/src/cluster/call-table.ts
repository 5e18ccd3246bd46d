// Calls under way come and go by the thousand a second. A `Map` makes a new table whenever it was filled and
// emptied, each old table leads to the next, and once one of them has grown old, all of them and what was in
// them stay until the next full collection: a third of a gateway's time went into moving calls that were over.

/** Places for two million at once; the rest of the number tells one use of a place from the next. */
const PLACES = 2 ** 21;
const LAST = Number.MAX_SAFE_INTEGER - PLACES;

/** What is under way, each by a number that no other ever had. */
export class CallTable<Value> {
  readonly #values: (Value | undefined)[] = [];
  readonly #numbers: number[] = [];
  readonly #free: number[] = [];

  /** Takes a number; nothing is under it yet. */
  take(): number {
    const place = this.#free.pop() ?? this.#numbers.length;
    const number = (this.#numbers[place] ?? place) + PLACES;
    this.#numbers[place] = number;
    this.#values[place] = undefined;
    return number;
  }

  set(number: number, value: Value): void {
    if (this.#numbers[number % PLACES] === number) this.#values[number % PLACES] = value;
  }

  get(number: number): Value | undefined {
    const place = number % PLACES;
    return this.#numbers[place] === number ? this.#values[place] : undefined;
  }

  /** Gives the place to others, and never the number. */
  delete(number: number): void {
    const place = number % PLACES;
    if (this.#numbers[place] !== number || this.#values[place] === undefined) return;
    this.#values[place] = undefined;
    if (number < LAST) this.#free.push(place);
  }

  /** All that are there now; some may be gone when their turn comes. */
  *[Symbol.iterator](): Generator<Value> {
    for (const value of [...this.#values]) if (value !== undefined) yield value;
  }
}
