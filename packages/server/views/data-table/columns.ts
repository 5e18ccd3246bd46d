import type { DataTableColumn, DataTableConfig } from "../../src/templates/data-table.ts";
import { type Fields, humanise, kindOf, own } from "../shell/shell.tsx";

/** A column as it is drawn. */
export interface Column extends Required<Pick<DataTableColumn, "key" | "label" | "sortable">> {
  format: NonNullable<DataTableColumn["format"]>;
  align: "start" | "center" | "end";
  /** How its numbers are written alike, where the config does not say. */
  digits: Intl.NumberFormatOptions | undefined;
  badge: DataTableColumn["badge"];
  linkKey: string | undefined;
}

// Properties and kinds are judged by the first rows: looking at all of ten megabytes is no better.
const SAMPLE = 100;
const MOST_COLUMNS = 40;

/** The columns of a table: those of the config, or what the first rows have. */
export function columnsOf({ columns }: DataTableConfig, rows: readonly Fields[]): Column[] {
  const sample = rows.slice(0, SAMPLE);
  const chosen: DataTableColumn[] = columns?.length
    ? columns
    : keysOf(sample).map((key) => ({ key }));
  return chosen.map((column) => {
    const { key, label = humanise(key), sortable = true, format } = column;
    const values = sample.map((row) => own(row, key)).filter((value) => kindOf(value) !== "none");
    const isNumber = values.length > 0 && values.every((value) => typeof value === "number");
    // 104 233 is an amount; as the number of an order it is 104233.
    const isName = isNumber && /(^|[_\s-])id$|Id$|^(year|zip|code)$/.test(key);
    const isAmount = isNumber || /^(number|integer|percent|bytes|currency:.*)$/.test(format ?? "");
    const { badge = isStatus(key, values), linkKey } = column;
    const { align = isAmount && !isName ? "end" : "start" } = column;
    return {
      key,
      label,
      sortable: sortable !== false,
      format: format ?? (isName ? "text" : "auto"),
      align,
      badge,
      linkKey,
      digits: isNumber && !isName && !format ? digitsOf(values as number[]) : undefined,
    };
  });
}

/** A column of few short texts, under a name that statuses have. */
function isStatus(key: string, values: readonly unknown[]): boolean {
  if (
    !/(^|[_\s-])(status|state|stage|priority|severity|health|outcome)$|(Status|State)$/i.test(key)
  ) {
    return false;
  }
  const isShort = (value: unknown): boolean => typeof value === "string" && value.length <= 24;
  return values.length > 0 && values.every(isShort) && new Set(values).size <= 12;
}

/** Amounts below each other have as many digits behind the point, and are grouped all or none. */
function digitsOf(values: readonly number[]): Intl.NumberFormatOptions {
  const places = Math.max(...values.map((value) => String(value).split(".")[1]?.length ?? 0));
  const isGrouped = places > 0 || values.some((value) => Math.abs(value) >= 10_000);
  return {
    ...(places <= 3 && { minimumFractionDigits: places }),
    useGrouping: isGrouped ? "always" : "min2",
  } as Intl.NumberFormatOptions;
}

function keysOf(rows: readonly Fields[]): string[] {
  const keys = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key);
  return [...keys].slice(0, MOST_COLUMNS);
}
