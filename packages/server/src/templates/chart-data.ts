import { labelOf } from "../key-label.ts";
import { rowsIn } from "./data-table-rows.ts";
import { isRecord, textOf } from "./plain-data.ts";

export const CHART_TYPES = ["bar", "line", "area", "pie", "donut", "scatter"] as const;

export type ChartType = (typeof CHART_TYPES)[number];

/** A property that is drawn. */
export interface ChartValue {
  /** The property of a row. */
  key: string;
  /** Its name in the legend; by default the key in words. */
  label?: string;
}

/** What decides how rows are read; the config's, or the data's own where it has none. */
export interface ChartOptions {
  type?: ChartType;
  x?: string;
  y?: string | (string | ChartValue)[];
  rowsKey?: string;
  stacked?: boolean;
  horizontal?: boolean;
}

export interface ChartSeries {
  key: string;
  label: string;
  /** One for each row; undefined is a gap. */
  values: (number | undefined)[];
  /** The sum of those that are not drawn one by one. */
  isRest?: boolean;
}

/** Rows as a chart reads them. */
export interface ChartData {
  type: ChartType;
  isStacked: boolean;
  /** Whether bars lie; undefined leaves it to the room there is. */
  isHorizontal: boolean | undefined;
  /** The property along the axis, in words; undefined where rows are numbered. */
  xLabel: string | undefined;
  /** What each row is called. */
  names: (string | number)[];
  /** Places along the axis, where names are numbers or moments. */
  xs: number[] | undefined;
  xKind: "name" | "number" | "time";
  /** When each row is, where all names are dates or times. */
  moments: number[] | undefined;
  series: ChartSeries[];
  /** Rows or properties that are left out: there are more than can be read. */
  isCut: boolean;
}

const TYPES: readonly unknown[] = CHART_TYPES;
const MOST_ROWS = 20_000;
const MOST_SERIES = 24;
const SAMPLE = 50;
const LARGEST = 1e100;
const MOMENT = /^\d{4}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?$/;

/** Reads rows, or an object of numbers by name; undefined when there is nothing to draw. */
export function readChart(data: unknown, config: ChartOptions): ChartData | undefined {
  const options = { ...ownOptions(data), ...config };
  const all = rowsOf(data, options.rowsKey);
  if (!all) return undefined;
  const rows = all.slice(0, MOST_ROWS);
  const type = TYPES.includes(options.type) ? (options.type as ChartType) : "bar";
  const keys = keysOf(rows);
  const x = options.x ?? findX(rows, keys, type);
  const wanted = valuesOf(options.y) ?? findValues(rows, keys, x);
  if (wanted.length === 0 && rows.length > 0) return undefined;
  const names = rows.map((row, at) => nameOf(own(row, x), at));
  const isPie = type === "pie" || type === "donut";
  const chosen = wanted.slice(0, isPie ? 1 : MOST_SERIES);
  const series = chosen.map(({ key, label = labelOf(key) }) => ({
    key,
    label,
    values: rows.map((row) => numberOf(own(row, key))),
  }));
  const isCut = all.length > rows.length || chosen.length < wanted.length;
  const xLabel = x === undefined ? undefined : labelOf(x);
  const isStacked = options.stacked === true && (type === "bar" || type === "area");
  const isHorizontal = type === "bar" ? options.horizontal : false;
  const plain = { type, isStacked, isHorizontal, xLabel, isCut } as const;
  return inOrder({ ...plain, names, series, ...placesOf(names, type) });
}

function ownOptions(data: unknown): ChartOptions {
  if (!isRecord(data)) return {};
  const { type, x, y, stacked, horizontal } = data;
  return {
    ...(TYPES.includes(type) && { type: type as ChartType }),
    ...(typeof x === "string" && { x }),
    ...((typeof y === "string" || isListOfText(y)) && { y }),
    ...(typeof stacked === "boolean" && { stacked }),
    ...(typeof horizontal === "boolean" && { horizontal }),
  };
}

function isListOfText(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function rowsOf(data: unknown, rowsKey: string | undefined): Record<string, unknown>[] | undefined {
  const rows = rowsIn(data, rowsKey);
  const [only] = rows ?? [];
  // `{ Mon: 3, Tue: 5 }` is a list of two, not a row of two columns.
  if (only !== undefined && only === data) {
    const pairs = Object.entries(only).filter(([, value]) => typeof value === "number");
    return pairs.length > 1 ? pairs.map(([name, value]) => ({ name, value })) : undefined;
  }
  return rows;
}

function own(row: Record<string, unknown>, key: string | undefined): unknown {
  return key !== undefined && Object.hasOwn(row, key) ? row[key] : undefined;
}

function keysOf(rows: readonly Record<string, unknown>[]): string[] {
  return [...new Set(rows.slice(0, SAMPLE).flatMap((row) => Object.keys(row)))];
}

type Rows = readonly Record<string, unknown>[];

function isNumeric(rows: Rows, key: string): boolean {
  const values = rows.slice(0, SAMPLE).flatMap((row) => own(row, key) ?? []);
  return values.length > 0 && values.every((value) => typeof value === "number");
}

function findX(rows: Rows, keys: string[], type: ChartType): string | undefined {
  if (type === "scatter") return keys.find((key) => isNumeric(rows, key));
  return (
    keys.find((key) => typeof own(rows[0] ?? {}, key) === "string") ??
    // A year is a number that names its row.
    keys.find((key) => /^(year|month|day|date|time|week|hour)$/i.test(key))
  );
}

function findValues(rows: Rows, keys: string[], x: string | undefined): ChartValue[] {
  const isName = (key: string): boolean => key === x || /(^|_)id$|Id$/.test(key);
  return keys.filter((key) => !isName(key) && isNumeric(rows, key)).map((key) => ({ key }));
}

function valuesOf(y: ChartOptions["y"]): ChartValue[] | undefined {
  if (y === undefined) return undefined;
  return (Array.isArray(y) ? y : [y]).flatMap((item) => {
    if (typeof item === "string") return { key: item };
    return isRecord(item) && typeof item.key === "string" ? item : [];
  });
}

function nameOf(value: unknown, at: number): string | number {
  if (typeof value === "number") return value;
  return textOf(value) ?? at + 1;
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  // Sums and differences of much larger numbers overflow to infinity or NaN.
  return typeof number === "number" && Math.abs(number) < LARGEST ? number : undefined;
}

/** Bars and slices stand side by side; lines and points stand where their numbers are. */
function placesOf(
  names: readonly (string | number)[],
  type: ChartType,
): Pick<ChartData, "xs" | "xKind" | "moments"> {
  const parsed = names.map((name) => (MOMENT.test(String(name)) ? Date.parse(String(name)) : NaN));
  const isDated = names.length > 0 && parsed.every(Number.isFinite);
  const moments = isDated ? parsed : undefined;
  if (type === "bar" || type === "pie" || type === "donut" || names.length === 0) {
    return { xs: undefined, xKind: "name", moments };
  }
  if (names.every((name) => typeof name === "number" && Math.abs(name) < LARGEST)) {
    return { xs: names as number[], xKind: "number", moments: undefined };
  }
  return isDated
    ? { xs: moments, xKind: "time", moments }
    : { xs: undefined, xKind: "name", moments };
}

/** A line goes from left to right, however its rows came. */
function inOrder(chart: ChartData): ChartData {
  const { xs, type } = chart;
  if (!xs || type === "scatter") return chart;
  const order = xs.map((_, at) => at).sort((a, b) => (xs[a] ?? 0) - (xs[b] ?? 0));
  const pick = <T>(list: readonly T[]): T[] => order.map((at) => list[at] as T);
  return {
    ...chart,
    xs: pick(xs),
    moments: chart.moments && pick(chart.moments),
    names: pick(chart.names),
    series: chart.series.map((one) => ({ ...one, values: pick(one.values) })),
  };
}
