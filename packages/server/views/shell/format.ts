// Values as people read them, by the locale and the time zone of the Host.

import type { ValueFormat as Format } from "../../src/templates/value-format.ts";
import { asNumber } from "./records.ts";

export type { Format };

/** What kind of thing a value turned out to be. */
export type Kind = "none" | "text" | "number" | "date" | "boolean" | "other";

/** A value, written. */
export interface Written {
  kind: Kind;
  text: string;
  /** For `<time>`. */
  moment?: string;
}

/** Writes values. */
export interface Formatter {
  locale: string;
  number(value: number, options?: Intl.NumberFormatOptions): string;
  write(value: unknown, format?: Format): Written;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;
// Values that aren't text are written as JSON up to these limits.
const LONGEST_JSON = 2000;
const DEEPEST = 20;

/** The kind of a value, without writing it. */
export function kindOf(value: unknown): Kind {
  if (value === undefined || value === null || value === "") return "none";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  if (typeof value !== "string") return "other";
  return DATE.test(value) || MOMENT.test(value) ? "date" : "text";
}

/** Makes the formatter of a locale; what the browser does not know falls back to its own. */
export function createFormatter(
  locale: string | undefined,
  timeZone: string | undefined,
  words: { yes: string; no: string },
): Formatter {
  const numbers = new Map<string, Intl.NumberFormat>();
  const dates = new Map<string, Intl.DateTimeFormat>();
  const language = supported(locale);
  const zone = supportedZone(timeZone);

  const number = (value: number, options: Intl.NumberFormatOptions = {}): string => {
    const key = JSON.stringify(options);
    let made = numbers.get(key);
    if (!made) {
      made = new Intl.NumberFormat(language, { maximumFractionDigits: 6, ...options });
      numbers.set(key, made);
    }
    return made.format(value);
  };
  const date = (value: string, withTime: boolean): Written => {
    const plain = DATE.test(value);
    const moment = new Date(value);
    if (Number.isNaN(moment.getTime())) return { kind: "text", text: value };
    const key = `${withTime} ${plain}`;
    let made = dates.get(key);
    if (!made) {
      // A date without a time is the same day everywhere.
      made = new Intl.DateTimeFormat(language, {
        dateStyle: "medium",
        ...(withTime && { timeStyle: "short" }),
        ...(plain ? { timeZone: "UTC" } : zone && { timeZone: zone }),
      });
      dates.set(key, made);
    }
    return { kind: "date", text: made.format(moment), moment: value };
  };
  const writeKind = (value: unknown, kind: Kind): Written => {
    if (kind === "number") {
      // Four digits are as often a year as an amount.
      return { kind, text: number(value as number, { useGrouping: "min2" } as never) };
    }
    if (kind === "boolean") return { kind, text: value ? words.yes : words.no };
    if (kind === "date") return date(value as string, !DATE.test(value as string));
    return { kind, text: toText(value) };
  };
  const write = (value: unknown, format: Format = "auto"): Written => {
    const kind = kindOf(value);
    if (kind === "none") return { kind, text: "" };
    if (format === "text") return { kind: "text", text: toText(value) };
    if (format !== "auto") {
      const asked = writeAs(value, format, number, date, words);
      if (asked) return asked;
    }
    return writeKind(value, kind);
  };
  return { locale: language, number, write };
}

function writeAs(
  value: unknown,
  format: Format,
  number: Formatter["number"],
  date: (value: string, withTime: boolean) => Written,
  words: { yes: string; no: string },
): Written | undefined {
  if (format === "boolean") return { kind: "boolean", text: value ? words.yes : words.no };
  if (format === "date" || format === "datetime") {
    // Numbers are milliseconds, as `Date.now()` gives them.
    const text = typeof value === "number" ? toIso(value) : value;
    return typeof text === "string" && text ? date(text, format === "datetime") : undefined;
  }
  const amount = asNumber(value);
  if (amount === undefined) return undefined;
  return { kind: "number", text: writeAmount(amount, format, number) };
}

function writeAmount(amount: number, format: Format, number: Formatter["number"]): string {
  if (format === "integer") return number(amount, { maximumFractionDigits: 0 });
  if (format === "percent") return number(amount, { style: "percent", maximumFractionDigits: 1 });
  if (format === "bytes") {
    const step = Math.min(4, Math.max(0, Math.floor(Math.log10(Math.abs(amount) || 1) / 3)));
    const unit = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"][step] as string;
    const options = { style: "unit", unit, maximumFractionDigits: 1 } as const;
    return number(amount / 1000 ** step, options);
  }
  const currency = /^currency:([A-Za-z]{3})$/.exec(format)?.[1];
  return currency
    ? number(amount, { style: "currency", currency, maximumFractionDigits: 2 })
    : number(amount);
}

function toIso(milliseconds: number): string {
  const moment = new Date(milliseconds);
  return Number.isNaN(moment.getTime()) ? "" : moment.toISOString();
}

/** Any value as text; what is not text as JSON, as far as is worth reading. */
export function toText(value: unknown, limit: number = LONGEST_JSON): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return String(value);
  let text = "";
  // Not with `JSON.stringify`, which would write all of ten megabytes before we cut them.
  for (const part of partsOf(value, 0, limit)) {
    text += part;
    if (text.length > limit) return `${text.slice(0, limit)}…`;
  }
  return text;
}

function* partsOf(value: unknown, depth: number, limit: number): Generator<string> {
  if (typeof value === "string") yield `"${value.slice(0, limit + 1)}"`;
  else if (typeof value !== "object" || value === null) yield String(value);
  else if (depth > DEEPEST) yield "…";
  else yield* membersOf(value, depth, limit);
}

function* membersOf(value: object, depth: number, limit: number): Generator<string> {
  const isList = Array.isArray(value);
  yield isList ? "[" : "{";
  let between = "";
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    yield isList ? between : `${between}${key}: `;
    yield* partsOf((value as Record<string, unknown>)[key], depth + 1, limit);
    between = ", ";
  }
  yield isList ? "]" : "}";
}

function supported(locale: string | undefined): string {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale ?? [])[0] ?? navigator.language ?? "en";
  } catch {
    return "en";
  }
}

function supportedZone(timeZone: string | undefined): string | undefined {
  try {
    return timeZone && new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
