/**
 * A small language for the shapes of messages. Shapes are data: one interpreter checks them, tests
 * generate values from them. Only `check` plain JSON (see `copyJson`); it then cannot throw or loop.
 */

/** The shape of a JSON value. */
export type Shape =
  | { is: "any" }
  | { is: "boolean" }
  | { is: "string"; test?: (value: string) => boolean; expected?: string }
  | { is: "number"; integer?: boolean; min?: number; max?: number }
  | { is: "literal"; values: readonly string[] }
  | { is: "array"; of: Shape }
  | { is: "record"; of: Shape; keys?: (key: string) => boolean }
  | { is: "object"; required: Fields; optional: Fields; open: boolean }
  | { is: "tagged"; tag: string; cases: Fields }
  | { is: "union"; of: readonly Shape[]; expected: string }
  | { is: "default"; of: Shape; value: () => unknown }
  | { is: "tolerant"; strict: Shape; lenient: Shape };

/** Shapes by key. */
export type Fields = Readonly<Record<string, Shape>>;

/** Where and how a value departs from its shape. */
export interface Departure {
  path: (string | number)[];
  expected: string;
  /** The value found; a missing value is `undefined`, which JSON can't carry. */
  value: unknown;
}

/** Anything JSON can carry. */
export const any: Shape = { is: "any" };
/** A string. */
export const string: Shape = { is: "string" };
/** A finite number. */
export const number: Shape = { is: "number" };
/** True or false. */
export const boolean: Shape = { is: "boolean" };

/** A string that passes a test, with words for the error. */
export function text(expected: string, test: (value: string) => boolean): Shape {
  return { is: "string", test, expected };
}

/** A number between two bounds. */
export function between(min: number, max: number): Shape {
  return { is: "number", min, max };
}

/** One of a few strings. */
export function literal(...values: readonly string[]): Shape {
  return { is: "literal", values };
}

/** An array whose items have one shape. */
export function array(of: Shape): Shape {
  return { is: "array", of };
}

/** An object used as a map; `keys` limits its keys, where the wire does. */
export function record(of: Shape, keys?: (key: string) => boolean): Shape {
  return keys ? { is: "record", of, keys } : { is: "record", of };
}

/** An object with known keys; the published schema allows no others. */
export function closed(required: Fields, optional: Fields = {}): Shape {
  return { is: "object", required, optional, open: false };
}

/** An object with known keys that may have others. */
export function open(required: Fields, optional: Fields = {}): Shape {
  return { is: "object", required, optional, open: true };
}

/** A closed object with further optional keys; for shapes that extend each other. */
export function extend(base: Shape, required: Fields, optional: Fields = {}): Shape {
  if (base.is !== "object") throw new TypeError("only objects can be extended");
  return {
    ...base,
    required: { ...base.required, ...required },
    optional: { ...base.optional, ...optional },
  };
}

/** One of several objects, told apart by a key that holds the case's name. */
export function tagged(tag: string, cases: Fields): Shape {
  return { is: "tagged", tag, cases };
}

/** One of several shapes; `expected` describes them for the error message. */
export function union(expected: string, ...of: readonly Shape[]): Shape {
  return { is: "union", of, expected };
}

/** A key the schema requires but lenient reading fills in. */
export function defaulting(of: Shape, value: () => unknown): Shape {
  return { is: "default", of, value };
}

/** A shape the specification lets us read more widely than it may be written. */
export function tolerant(strict: Shape, lenient: Shape): Shape {
  return { is: "tolerant", strict, lenient };
}
