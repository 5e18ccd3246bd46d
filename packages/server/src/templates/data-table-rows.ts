import { isRecord, listOf } from "./plain-data.ts";

/** Where servers put their rows when nobody said. */
const USUAL_NAMES = ["rows", "items", "data", "results", "records", "entries"];

/**
 * The rows in a result: a list under `rowsKey` or a usual name; one object is one row. Scalars in a
 * list become rows of one column.
 */
export function rowsIn(data: unknown, rowsKey?: string): Record<string, unknown>[] | undefined {
  const list = listIn(data, rowsKey);
  if (!list) return isRecord(data) && rowsKey === undefined ? soleRow(data) : undefined;
  return list.map((item) => (isRecord(item) ? item : { value: item }));
}

function listIn(data: unknown, rowsKey: string | undefined): unknown[] | undefined {
  if (rowsKey === undefined) return listOf(data, USUAL_NAMES);
  return isRecord(data) && Object.hasOwn(data, rowsKey) && Array.isArray(data[rowsKey])
    ? data[rowsKey]
    : undefined;
}

function soleRow(data: Record<string, unknown>): Record<string, unknown>[] {
  return Object.keys(data).length === 0 ? [] : [data];
}
