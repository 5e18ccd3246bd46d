// Calls under way come and go by the thousand a second. With a `Map` of them 12 of 30 MB outlived each minor
// collection, though a hundred calls were under way, and without less than 1 of 50: it seems that it makes a new
// table when it was filled and emptied, that an old one leads to the next, and that once one of them has grown
// old, all of them and what was in them stay until the next full collection.
//
// Numbers rise, and begin again after 2^30 of them, so that each is a small integer to V8: larger ones are
// objects, and cost several times as much to write and to read. At 10,000 calls a second that is after 29 hours,
// when an answer to the call before would be refused for its age.

const LAST = 2 ** 30 - 1;
const FIRST_PLACES = 256;
/** No call has this number. */
const FREE = 0;

/** What is under way, each by a number that no other has, or had in the last billion. */
export class CallTable<Value> {
  /** By the last bits of their numbers; twice as many as are in use at least. */
  #numbers = new Array<number>(FIRST_PLACES).fill(FREE);
  #values = new Array<Value | undefined>(FIRST_PLACES).fill(undefined);
  #size = 0;
  #last: number;

  /** The numbers after `last` come first. */
  constructor(last = 0) {
    this.#last = last;
  }

  /** Takes a number; nothing is under it yet. */
  take(): number {
    if (this.#size * 2 >= this.#numbers.length) this.#grow();
    do this.#last = this.#last === LAST ? 1 : this.#last + 1;
    while (this.#numbers[this.#placeOf(this.#last)] !== FREE);
    this.#numbers[this.#placeOf(this.#last)] = this.#last;
    this.#size += 1;
    return this.#last;
  }

  set(number: number, value: Value): void {
    if (this.#has(number)) this.#values[this.#placeOf(number)] = value;
  }

  get(number: number): Value | undefined {
    return this.#has(number) ? this.#values[this.#placeOf(number)] : undefined;
  }

  delete(number: number): void {
    if (!this.#has(number)) return;
    this.#numbers[this.#placeOf(number)] = FREE;
    this.#values[this.#placeOf(number)] = undefined;
    this.#size -= 1;
  }

  /** All that are there now; some may be gone when their turn comes. */
  *[Symbol.iterator](): Generator<Value> {
    for (const value of [...this.#values]) if (value !== undefined) yield value;
  }

  #has(number: number): boolean {
    return number !== FREE && this.#numbers[this.#placeOf(number)] === number;
  }

  #placeOf(number: number): number {
    return number & (this.#numbers.length - 1);
  }

  /** Who had a place alone has one alone among twice as many. */
  #grow(): void {
    const [numbers, values] = [this.#numbers, this.#values];
    const { length } = numbers;
    this.#numbers = new Array<number>(2 * length).fill(FREE);
    this.#values = new Array<Value | undefined>(2 * length).fill(undefined);
    for (let place = 0; place < length; place++) {
      const number = numbers[place] as number;
      if (number === FREE) continue;
      this.#numbers[this.#placeOf(number)] = number;
      this.#values[this.#placeOf(number)] = values[place];
    }
  }
}
