// Calls under way come and go by the thousand a second. With a `Map` of them 12 of 30 MB outlived each minor
// collection, though a hundred calls were under way, and without less than 1 of 50: it seems that it makes a new
// table when it was filled and emptied, that an old one leads to the next, and that once one of them has grown
// old, all of them and what was in them stay until the next full collection.

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
