import { type Fields, type Formatter, own, toText } from "../shell/shell.tsx";
import type { Column } from "./columns.ts";

/** By which column, and which way. */
export interface Sort {
  key: string;
  direction: "ascending" | "descending";
}

/** Up to here a row is also found by what is shown of it, not only by what it holds. */
const FEW = 5000;
const LONGEST_KEY = 200;

/** Finds the rows that contain every word of a text, in any shown column. */
export class RowFilter {
  readonly #rows: readonly Fields[];
  readonly #columns: readonly Column[];
  readonly #format: Formatter;
  /** One text for each row, made when the first filter asks. */
  #texts: string[] | undefined;

  constructor(rows: readonly Fields[], columns: readonly Column[], format: Formatter) {
    this.#rows = rows;
    this.#columns = columns;
    this.#format = format;
  }

  /** Of rows by their place, those that have the words, in the same order. */
  find(words: string, places: readonly number[]): readonly number[] {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    if (wanted.length === 0) return places;
    this.#texts ??= this.#rows.map((row) => this.#textOf(row));
    const texts = this.#texts;
    return places.filter((at) => wanted.every((word) => texts[at]?.includes(word)));
  }

  #textOf(row: Fields): string {
    const few = this.#rows.length <= FEW;
    return this.#columns
      .map(({ key, format }) => {
        const value = own(row, key);
        if (value === undefined || value === null) return "";
        const raw = toText(value);
        if (typeof value === "string" && value.length > 40) return raw;
        return few ? `${raw} ${this.#format.write(value, format).text}` : raw;
      })
      .join("\n")
      .toLowerCase();
  }
}

/** The places of rows in order; what is missing comes last either way, equals stay as they came. */
export function orderOf(
  rows: readonly Fields[],
  sort: Sort | undefined,
  locale: string,
): readonly number[] {
  const places = rows.map((_, at) => at);
  if (!sort) return places;
  const isMany = rows.length > FEW;
  const keys = rows.map((row) => sortKey(own(row, sort.key), isMany));
  const compare = isMany ? byCode : new Intl.Collator(locale, { numeric: true }).compare;
  const way = sort.direction === "ascending" ? 1 : -1;
  return places.sort((one, other) => compareKeys(keys[one], keys[other], { way, compare }));
}

type Key = string | number | undefined;

function compareKeys(
  a: Key,
  b: Key,
  { way, compare }: { way: number; compare(a: string, b: string): number },
): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  if (typeof a === "string" && typeof b === "string") return way * compare(a, b);
  // Numbers before texts.
  if (typeof a === "string" || typeof b === "string") return typeof a === "number" ? -way : way;
  return way * (a - b);
}

function byCode(a: string, b: string): number {
  return a < b ? -1 : 1;
}

function sortKey(value: unknown, isMany: boolean): Key {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "number") return Number.isNaN(value) ? undefined : value;
  if (typeof value === "boolean") return Number(value);
  // Two texts that agree so far may stand in any order; comparing megabytes would not be worth it.
  const text = toText(value, LONGEST_KEY).slice(0, LONGEST_KEY);
  return isMany ? plainKey(text) : text;
}

/**
 * A text such that comparing codes gives nearly the order of a dictionary, numbers by their size: a
 * collator takes a second for 50,000 rows, in which the page stands still.
 */
function plainKey(text: string): string {
  const lower = text.toLowerCase();
  // ASCII has no accents to remove.
  const folded = /^[\0-\x7f]*$/.test(lower) ? lower : lower.normalize("NFD").replace(/\p{M}/gu, "");
  return folded.replace(/\d+/g, (digits) => digits.padStart(12, "0"));
}
