// From two texts to the rows of a table. No DOM: what costs time on hostile input is bounded here,
// and what was left out is said, so that a View of ten megabytes answers as fast as one of ten lines.

import { diffArrays } from "diff";
import { type DiffChange, type DiffData, linesOf } from "../../src/templates/diff-viewer-data.ts";

export interface Line {
  number: number;
  text: string;
}

/** One row of the split table: both sides, or the one that has no counterpart. */
export interface Row {
  same: boolean;
  left: Line | undefined;
  right: Line | undefined;
}

/** What of the comparison is not what one would expect. */
export type DiffNote = "cut" | "coarse" | "line-ends";

export interface Comparison {
  rows: Row[];
  added: number;
  removed: number;
  notes: DiffNote[];
}

/** Bounds of one comparison. */
export interface DiffLimits {
  /** Characters of a side that are looked at. */
  characters: number;
  /** Lines of a side that are looked at. */
  lines: number;
  /** How long lines may be matched before the differing part counts as replaced. */
  milliseconds: number;
}

export const DIFF_LIMITS: DiffLimits = { characters: 2_000_000, lines: 20_000, milliseconds: 400 };

/** Compares both sides line by line, or lays out the comparison that the Server made. */
export function compare(data: DiffData, limits: DiffLimits = DIFF_LIMITS): Comparison {
  const notes: DiffNote[] = [];
  const read = (text: string): string[] => {
    const lines = linesOf(text.slice(0, limits.characters));
    if (text.length <= limits.characters && lines.length <= limits.lines) return lines;
    if (!notes.includes("cut")) notes.push("cut");
    return lines.slice(0, limits.lines);
  };
  if (data.changes) return { ...layOut(readStretches(data.changes, limits, notes)), notes };
  const left = read(data.left);
  const right = read(data.right);
  const { stretches, coarse } = match(left, right, limits);
  if (coarse) notes.push("coarse");
  const comparison = layOut(stretches);
  const equal = comparison.added + comparison.removed === 0;
  if (equal && data.left !== data.right && !notes.includes("cut")) notes.push("line-ends");
  return { ...comparison, notes };
}

interface Stretch {
  kind: DiffChange["kind"];
  lines: string[];
  lineNumber?: number | undefined;
}

function readStretches(changes: DiffChange[], limits: DiffLimits, notes: DiffNote[]): Stretch[] {
  const stretches: Stretch[] = [];
  let characters = limits.characters;
  let count = limits.lines;
  for (const { kind, value, lineNumber } of changes) {
    const lines = linesOf(value.slice(0, characters)).slice(0, count);
    stretches.push({ kind, lines, lineNumber });
    characters -= value.length;
    count -= lines.length;
    if (characters < 0 || count <= 0) {
      notes.push("cut");
      break;
    }
  }
  return stretches;
}

/** Matches lines; most comparisons differ in the middle only, so equal ends are set aside first. */
function match(
  left: string[],
  right: string[],
  { milliseconds }: DiffLimits,
): { stretches: Stretch[]; coarse: boolean } {
  const shorter = Math.min(left.length, right.length);
  let head = 0;
  while (head < shorter && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  const [a, b] = [left.slice(head, left.length - tail), right.slice(head, right.length - tail)];
  const middle = a.length > 0 && b.length > 0 && diffArrays(a, b, { timeout: milliseconds });
  const stretches: Stretch[] = middle
    ? middle.map(({ value, added, removed }) => ({
        kind: added ? "added" : removed ? "removed" : "same",
        lines: value,
      }))
    : [
        { kind: "removed", lines: a },
        { kind: "added", lines: b },
      ];
  return {
    stretches: [
      { kind: "same", lines: left.slice(0, head) },
      ...stretches,
      { kind: "same", lines: left.slice(left.length - tail) },
    ],
    coarse: middle === undefined,
  };
}

/** Puts removed and added lines that stand together side by side. */
function layOut(stretches: Stretch[]): Omit<Comparison, "notes"> {
  const layout = new Layout();
  const counts = { added: 0, removed: 0 };
  for (const { kind, lines, lineNumber } of stretches) {
    layout.goTo(kind, lineNumber);
    for (const text of lines) layout.add(kind, text);
    if (kind !== "same") counts[kind] += lines.length;
  }
  return { rows: layout.finish(), ...counts };
}

class Layout {
  readonly #rows: Row[] = [];
  readonly #next = { left: 1, right: 1 };
  #left: Line[] = [];
  #right: Line[] = [];

  goTo(kind: Stretch["kind"], lineNumber: number | undefined): void {
    if (lineNumber === undefined) return;
    if (kind !== "added") this.#next.left = lineNumber;
    if (kind !== "removed") this.#next.right = lineNumber;
  }

  add(kind: Stretch["kind"], text: string): void {
    const left = kind === "added" ? undefined : { number: this.#next.left++, text };
    const right = kind === "removed" ? undefined : { number: this.#next.right++, text };
    if (left && right) {
      this.finish();
      this.#rows.push({ same: true, left, right });
    } else if (left) this.#left.push(left);
    else if (right) this.#right.push(right);
  }

  /** Rows so far; removed and added lines that wait for a counterpart become rows. */
  finish(): Row[] {
    const count = Math.max(this.#left.length, this.#right.length);
    for (let index = 0; index < count; index += 1) {
      this.#rows.push({ same: false, left: this.#left[index], right: this.#right[index] });
    }
    if (count > 0) [this.#left, this.#right] = [[], []];
    return this.#rows;
  }
}

/** Rows of the one-column table: what was removed stands before what took its place. */
export function unify(rows: Row[]): Row[] {
  const unified: Row[] = [];
  let added: Row[] = [];
  for (const row of rows) {
    if (row.same) {
      unified.push(...added, row);
      added = [];
      continue;
    }
    if (row.left) unified.push({ ...row, right: undefined });
    if (row.right) added.push({ ...row, left: undefined });
  }
  return [...unified, ...added];
}
