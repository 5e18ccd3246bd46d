import { useRef } from "preact/hooks";

/** A row of a list that refreshes itself. */
export interface SteadyRow<T> {
  key: string;
  item: T;
  /** The newest list doesn't have it any more. */
  isGone: boolean;
}

const MOST = 1000;

/**
 * Adds a newer list to the rows on screen without moving them: known rows keep their place, rows that are
 * gone stay and are marked, new rows come last.
 */
export function mergeRows<T>(
  shown: readonly SteadyRow<T>[],
  items: readonly T[],
  keyOf: (item: T) => string,
): SteadyRow<T>[] {
  const newest = new Map(items.map((item) => [keyOf(item), item]));
  const known = new Set(shown.map(({ key }) => key));
  const kept = shown.map(({ key, item }) => ({
    key,
    item: newest.get(key) ?? item,
    isGone: !newest.has(key),
  }));
  const added = [...newest].filter(([key]) => !known.has(key));
  const all = [...kept, ...added.map(([key, item]) => ({ key, item, isGone: false }))];
  return all.length > MOST ? all.filter(({ isGone }) => !isGone) : all;
}

/** The rows to show of a list that refreshes itself; they start again when `list` changes. */
export function useSteadyRows<T>(
  items: readonly T[] | undefined,
  keyOf: (item: T) => string,
  list: string,
): SteadyRow<T>[] {
  const kept = useRef<{ list: string; rows: SteadyRow<T>[]; items?: readonly T[] }>({
    list,
    rows: [],
  });
  if (kept.current.list !== list) kept.current = { list, rows: [] };
  if (items && items !== kept.current.items) {
    kept.current = { list, items, rows: mergeRows(kept.current.rows, items, keyOf) };
  }
  return kept.current.rows;
}
