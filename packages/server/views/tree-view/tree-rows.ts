// Which nodes of a tree are in sight. No DOM.

import type { Tree } from "../../src/templates/tree-view-data.ts";

/** A node in sight. */
export interface TreeRow {
  /** Of the node in the tree. */
  index: number;
  isOpen: boolean;
  hasChildren: boolean;
  /** Its place among the nodes of its parent that are in sight, from 1, and how many those are. */
  position: number;
  size: number;
}

/** What a filter leaves of a tree. */
export interface Filtered {
  /** 1 for a node that is found, that holds one, or that is within one. */
  kept: Uint8Array;
  /** 1 for a node that holds one that is found. */
  holds: Uint8Array;
  count: number;
}

/** Finds nodes by their label; what is within a found node stays, closed. */
export function filterTree({ items }: Tree, words: string): Filtered | undefined {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return undefined;
  const found = Uint8Array.from(items, ({ label }) =>
    label.toLowerCase().includes(wanted) ? 1 : 0,
  );
  const count = found.reduce((sum, one) => sum + one, 0);
  const holds = new Uint8Array(items.length);
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const parent = items[index]?.parent ?? -1;
    if (parent >= 0 && (found[index] || holds[index])) holds[parent] = 1;
  }
  const kept = Uint8Array.from(items, ({ parent }, index) => {
    // From here on what is within a found node counts as found: parents come before their children.
    if (found[parent]) found[index] = 1;
    return found[index] || holds[index] ? 1 : 0;
  });
  return { kept, holds, count };
}

/** The nodes in sight: those whose ancestors are all open. */
export function rowsOf(
  { items }: Tree,
  isOpen: (index: number) => boolean,
  filtered?: Filtered,
): TreeRow[] {
  const rows: TreeRow[] = [];
  const sizes = new Map<number, number>();
  let index = 0;
  while (index < items.length) {
    const { parent = -1, end = 0 } = items[index] ?? {};
    if (filtered && !filtered.kept[index]) {
      index = end;
      continue;
    }
    const hasChildren = end > index + 1;
    const open = hasChildren && isOpen(index);
    const position = (sizes.get(parent) ?? 0) + 1;
    sizes.set(parent, position);
    rows.push({ index, isOpen: open, hasChildren, position, size: 0 });
    index = open ? index + 1 : end;
  }
  for (const row of rows) row.size = sizes.get(items[row.index]?.parent ?? -1) ?? 0;
  return rows;
}
