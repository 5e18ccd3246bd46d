import type { Row } from "./diff-rows.ts";

/** Unchanged rows out of sight: from the first to the one after the last. */
export interface Fold {
  from: number;
  to: number;
}

/** A row by its index, or a fold in place of several. */
export type Item = { row: Row; index: number } | { fold: Fold };

const CONTEXT = 3;
/** Fewer rows than this are not worth a button. */
const LEAST = 4;

/** Leaves out what is far from any change, except the stretches a user has opened. */
export function fold(rows: Row[], opened: ReadonlySet<number>): Item[] {
  const items: Item[] = [];
  let index = 0;
  while (index < rows.length) {
    const end = endOfStretch(rows, index);
    const from = index === 0 ? 0 : index + CONTEXT;
    const to = end === rows.length ? end : end - CONTEXT;
    const folds = rows[index]?.same && to - from >= LEAST && !opened.has(from);
    // A comparison without any change is shown from its start.
    const whole = index === 0 && end === rows.length;
    for (let at = index; at < end; at += 1) {
      if (folds && !whole && at === from) {
        items.push({ fold: { from, to } });
        at = to - 1;
      } else {
        items.push({ row: rows[at] as Row, index: at });
      }
    }
    index = end;
  }
  return items;
}

function endOfStretch(rows: Row[], start: number): number {
  let end = start + 1;
  while (end < rows.length && rows[end]?.same === rows[start]?.same) end += 1;
  return end;
}
