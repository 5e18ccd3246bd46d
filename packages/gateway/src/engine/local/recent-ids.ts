import type { Appended } from "../engine.ts";

/** The ids of recently appended batches, oldest first. */
export class RecentIds {
  readonly #places = new Map<string, { first: number; last: number; time: number }>();
  readonly #time: number;

  constructor(time: number) {
    this.#time = time;
  }

  find(id: string | undefined): Appended | undefined {
    const place = id === undefined ? undefined : this.#places.get(id);
    return place && { first: place.first, last: place.last, duplicate: true };
  }

  add(id: string, place: { first: number; last: number; time: number }): void {
    this.#places.set(id, place);
    const old = Date.now() - this.#time;
    for (const [other, { time }] of this.#places) {
      if (time >= old) break;
      this.#places.delete(other);
    }
  }
}
