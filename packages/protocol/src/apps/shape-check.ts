import type { Departure, Fields, Shape } from "./shape.ts";

type ShapeOf<K extends Shape["is"]> = Extract<Shape, { is: K }>;
type Verdict = Departure | undefined;

function departs(expected: string, value: unknown): Departure {
  return { path: [], expected, value };
}

/** Puts a departure one level further down. */
function under(key: string | number, verdict: Verdict): Verdict {
  verdict?.path.unshift(key);
  return verdict;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const checks: {
  [K in Shape["is"]]: (shape: ShapeOf<K>, value: unknown, strict: boolean) => Verdict;
} = {
  any: () => undefined,
  boolean: (_, value) => (typeof value === "boolean" ? undefined : departs("true or false", value)),
  string: checkString,
  number: checkNumber,
  literal: (shape, value) =>
    shape.values.includes(value as string) ? undefined : departs(oneOf(shape.values), value),
  array: checkArray,
  record: checkRecord,
  object: checkObject,
  tagged: checkTagged,
  union: (shape, value, strict) =>
    shape.of.some((option) => !check(option, value, strict))
      ? undefined
      : departs(shape.expected, value),
  default: (shape, value, strict) => check(shape.of, value, strict),
  tolerant: (shape, value, strict) => check(strict ? shape.strict : shape.lenient, value, strict),
};

/**
 * The first departure of a plain JSON value from a shape, or nothing. Strict follows the published
 * schema; lenient ignores keys it does not know and writes defaults into `value`.
 */
export function check(shape: Shape, value: unknown, strict: boolean): Verdict {
  // The table is keyed by the discriminant, which TypeScript cannot follow through an index.
  return (checks[shape.is] as (shape: Shape, value: unknown, strict: boolean) => Verdict)(
    shape,
    value,
    strict,
  );
}

function oneOf(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(" or ");
}

function checkString(shape: ShapeOf<"string">, value: unknown): Verdict {
  const right = typeof value === "string" && (shape.test?.(value) ?? true);
  return right ? undefined : departs(shape.expected ?? "a string", value);
}

function checkNumber(shape: ShapeOf<"number">, value: unknown): Verdict {
  const { integer, min = -Infinity, max = Infinity } = shape;
  const right = integer ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (right && (value as number) >= min && (value as number) <= max) return undefined;
  const kind = integer ? "an integer" : "a finite number";
  return departs(Number.isFinite(max) ? `${kind} from ${min} to ${max}` : kind, value);
}

function checkArray(shape: ShapeOf<"array">, value: unknown, strict: boolean): Verdict {
  if (!Array.isArray(value)) return departs("an array", value);
  for (const [index, item] of value.entries()) {
    const verdict = check(shape.of, item, strict);
    if (verdict) return under(index, verdict);
  }
  return undefined;
}

function checkRecord(shape: ShapeOf<"record">, value: unknown, strict: boolean): Verdict {
  if (!isObject(value)) return departs("an object", value);
  for (const key of Object.keys(value)) {
    const known = !strict || !shape.keys || shape.keys(key);
    const verdict = known
      ? check(shape.of, value[key], strict)
      : departs("no such key", value[key]);
    if (verdict) return under(key, verdict);
  }
  return undefined;
}

function checkObject(shape: ShapeOf<"object">, value: unknown, strict: boolean): Verdict {
  if (!isObject(value)) return departs("an object", value);
  return (
    checkRequired(shape.required, value, strict) ??
    checkOptional(shape.optional, value, strict) ??
    (strict && !shape.open ? checkUnknown(shape, value) : undefined)
  );
}

function checkRequired(fields: Fields, value: Record<string, unknown>, strict: boolean): Verdict {
  for (const [key, shape] of Object.entries(fields)) {
    if (!Object.hasOwn(value, key)) {
      if (strict || shape.is !== "default") {
        return { path: [key], expected: describe(shape), value: undefined };
      }
      value[key] = shape.value();
    }
    const verdict = check(shape, value[key], strict);
    if (verdict) return under(key, verdict);
  }
  return undefined;
}

function checkOptional(fields: Fields, value: Record<string, unknown>, strict: boolean): Verdict {
  for (const [key, shape] of Object.entries(fields)) {
    const verdict = Object.hasOwn(value, key) ? check(shape, value[key], strict) : undefined;
    if (verdict) return under(key, verdict);
  }
  return undefined;
}

function checkUnknown(shape: ShapeOf<"object">, value: Record<string, unknown>): Verdict {
  const key = Object.keys(value).find(
    (name) => !Object.hasOwn(shape.required, name) && !Object.hasOwn(shape.optional, name),
  );
  return key === undefined ? undefined : under(key, departs("no such key", value[key]));
}

function checkTagged(shape: ShapeOf<"tagged">, value: unknown, strict: boolean): Verdict {
  if (!isObject(value)) return departs("an object", value);
  const tag = Object.hasOwn(value, shape.tag) ? value[shape.tag] : undefined;
  const option = typeof tag === "string" && Object.hasOwn(shape.cases, tag) && shape.cases[tag];
  if (option) return check(option, value, strict);
  return under(shape.tag, departs(oneOf(Object.keys(shape.cases)), tag));
}

/** What a shape expects, found by checking `undefined` against it. */
function describe(shape: Shape): string {
  return check(shape, undefined, true)?.expected ?? "a value";
}
