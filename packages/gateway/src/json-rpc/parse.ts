import { serialize } from "./serialize.ts";

const DEEPEST = 256;
const MOST_CONTAINERS = 1_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

// Only a literal of 16 characters, or with an exponent of three digits, can be beyond what a double holds.
const LARGE_NUMBER = /\d[\d.]{15}|\d[eE]\+?\d{3}/;

interface RawJson {
  readonly rawJSON: string;
}

// TypeScript's library doesn't declare these yet; Node has them since version 21.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

/**
 * Parses JSON text. A number that a double can't hold keeps its digits: it becomes a `JSON.rawJSON` object,
 * which the serializer writes as it was. Throws a `SyntaxError` if the text isn't JSON or nests too deep.
 */
export function parseJson(text: string): unknown {
  checkNesting(text);
  // The reviver makes parsing several times slower, and few messages need it.
  return LARGE_NUMBER.test(text) ? JSON.parse(text, keepLargeNumber) : JSON.parse(text);
}

/**
 * Parses text that another gateway process serialized. Throws if this process reads anything other than what
 * the other wrote: a bug in a JSON parser must not change a message between two checks.
 */
export function parseSerialized<T extends object>(text: string): T {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || (serialize(value) as string) !== text) {
    throw new SyntaxError("The text isn't what the serializer writes for the value it parses to.");
  }
  return value as T;
}

/** True for a number that keeps its digits because a double can't hold it. */
export function isLargeNumber(value: unknown): value is RawJson {
  return isRawJSON(value);
}

function keepLargeNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  const source = context?.source;
  // Without its source text, a number can't be compared. V8 omits it if it isn't sure.
  if (source === undefined || Number(source) !== value) return finite(value);
  return digitsOf(source) === digitsOf(String(value)) ? value : rawJSON(source);
}

/** The number, unless it is infinite: JSON has no text for that, and `null` is another value. */
function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new SyntaxError("The JSON has a number that is too large.");
}

/** Sign, significant digits and exponent in one form for all spellings of a number. */
function digitsOf(literal: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  if (whole === "") return literal;
  const all = `${whole}${fraction}`.replace(/^0+/, "");
  const digits = all.replace(/0+$/, "");
  return `${sign}${digits}e${Number(exponent) - fraction.length + (all.length - digits.length)}`;
}

/** Deeply nested text needs far more memory once parsed: 8 MiB of brackets become half a gigabyte. */
function checkNesting(text: string): void {
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth++;
      containers++;
      if (depth > DEEPEST || containers > MOST_CONTAINERS) {
        throw new SyntaxError(
          `The JSON has more than ${DEEPEST} levels or ${MOST_CONTAINERS} objects and arrays.`,
        );
      }
    }
  }
}

/** The index of the closing quote; the end of the text if there is none, which `JSON.parse` reports. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}
