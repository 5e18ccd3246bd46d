// What keys do in a tree, after WAI-ARIA's pattern. No DOM.

import type { Tree } from "../../src/templates/tree-view-data.ts";
import type { TreeRow } from "./tree-rows.ts";

/** What a key does; numbers are nodes. */
export type TreeStep =
  | { go: number }
  | { open: number[] }
  | { close: number }
  | { choose: number }
  | undefined;

/** Where the keyboard is. */
export interface TreePlace {
  tree: Tree;
  rows: readonly TreeRow[];
  active: number;
  /** Rows of a page. */
  page: number;
  isRtl: boolean;
}

// Rows up or down; the ends hold.
const WAYS: ReadonlyMap<string, (page: number) => number> = new Map([
  ["ArrowDown", () => 1],
  ["ArrowUp", () => -1],
  ["PageDown", (page: number) => page],
  ["PageUp", (page: number) => -page],
  ["Home", () => Number.NEGATIVE_INFINITY],
  ["End", () => Number.POSITIVE_INFINITY],
]);

/** What a key does at a place. */
export function stepOf(key: string, place: TreePlace): TreeStep {
  const { tree, rows, active, page, isRtl } = place;
  const at = Math.max(0, placeOf(rows, active));
  const row = rows[at];
  if (!row) return undefined;
  const way = WAYS.get(key)?.(page);
  if (way !== undefined) {
    const target = rows[Math.min(Math.max(at + way, 0), rows.length - 1)];
    return target && { go: target.index };
  }
  if (key === "Enter" || key === " ") return { choose: row.index };
  if (key === "*") return { open: siblingsOf(tree, rows, row) };
  if (key === (isRtl ? "ArrowLeft" : "ArrowRight")) return inward(rows, at, row);
  return key === (isRtl ? "ArrowRight" : "ArrowLeft") ? outward(tree, row) : undefined;
}

function inward(rows: readonly TreeRow[], at: number, row: TreeRow): TreeStep {
  if (!row.hasChildren) return undefined;
  const first = rows[at + 1];
  return row.isOpen && first ? { go: first.index } : { open: [row.index] };
}

function outward(tree: Tree, row: TreeRow): TreeStep {
  if (row.isOpen) return { close: row.index };
  const parent = tree.items[row.index]?.parent ?? -1;
  return parent >= 0 ? { go: parent } : undefined;
}

function siblingsOf(tree: Tree, rows: readonly TreeRow[], { index }: TreeRow): number[] {
  const parent = tree.items[index]?.parent;
  return rows.flatMap((row) =>
    row.hasChildren && tree.items[row.index]?.parent === parent ? row.index : [],
  );
}

const PAUSE = 600;

/** Letters typed shortly after one another, as a search for the beginning of a label. */
export class Typing {
  #text = "";
  #at = Number.NEGATIVE_INFINITY;

  /** The text so far; undefined for a key that isn't a character, or a command while nothing is typed. */
  add(key: string, time: number): string | undefined {
    const goesOn = time - this.#at < PAUSE;
    if (key.length !== 1 || (!goesOn && (key === " " || key === "*"))) return undefined;
    this.#text = goesOn ? this.#text + key : key;
    this.#at = time;
    return this.#text;
  }
}

/** The next node whose label begins with the text, wrapping around; repeating one character moves on. */
export function findTyped(typed: string, { tree, rows, active }: TreePlace): number | undefined {
  const wanted = typed.toLowerCase();
  const isRepeated = [...wanted].every((character) => character === wanted[0]);
  const sought = isRepeated ? (wanted[0] ?? "") : wanted;
  const at = placeOf(rows, active);
  // The longer text may still match the active node.
  const start = isRepeated ? at + 1 : Math.max(at, 0);
  for (let step = 0; step < rows.length; step += 1) {
    const { index } = rows[(start + step) % rows.length] as TreeRow;
    if (tree.items[index]?.label.toLowerCase().startsWith(sought)) return index;
  }
  return undefined;
}

/** The place of a node among the rows; -1 where it is out of sight. */
export function placeOf(rows: readonly TreeRow[], node: number): number {
  return rows.findIndex(({ index }) => index === node);
}
