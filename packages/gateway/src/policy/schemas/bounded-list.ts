import { definitionSize } from "./definition-size.ts";

/** How much of a list is kept. */
export interface ListLimits {
  items: number;
  /** Total over all items. */
  characters: number;
}

/** A larger or deeper definition is left out, because hashing it would block the event loop. */
const LARGEST_DEFINITION = { characters: 256 * 1024, depth: 128 };

/** The items of a server's list, up to a limit. */
export class BoundedList {
  readonly items: Record<string, unknown>[] = [];
  characters = 0;
  isFull = false;
  /** False once an item was left out. */
  isWhole = true;
  readonly #limits: ListLimits;

  constructor(limits: ListLimits) {
    this.#limits = limits;
  }

  /** Adds a page. Anything but a list counts as empty. */
  add(page: unknown): void {
    for (const item of Array.isArray(page) ? page : []) {
      const size = definitionSize(item, LARGEST_DEFINITION);
      this.characters += size ?? LARGEST_DEFINITION.characters;
      const { items, characters } = this.#limits;
      this.isFull ||= this.items.length >= items || this.characters > characters;
      if (size === undefined || this.isFull) this.isWhole = false;
      else this.items.push(item as Record<string, unknown>);
      if (this.isFull) return;
    }
  }
}
