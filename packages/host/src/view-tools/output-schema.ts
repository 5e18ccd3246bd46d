// Checks whether a result matches its tool's schema, for the part of JSON Schema that describes
// shapes. Other keywords aren't checked; a full validator would be larger than the host.

type Schema = Record<string, unknown>;

/**
 * One check of a value against a schema. Both come from the view, and may be made to keep us busy.
 */
interface Walk {
  fits(value: unknown, schema: unknown): boolean;
  /** Counts each of these as a step, before they are used. Throws when the limit is exceeded. */
  spend<T extends { length: number }>(items: T): T;
}

type Check = (rule: never, value: unknown, walk: Walk, schema: Schema) => boolean;

/**
 * Steps: members of schemas, items of lists, keys of values. A table of 1,000 rows takes 50,000; the
 * whole limit takes about 20 ms. Steps instead of time, so that the answer is the same on every
 * machine.
 */
const BUDGET = 100_000;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isOfType(type: string, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function isSame(left: unknown, right: unknown, walk: Walk): boolean {
  if (typeof left !== "object" || typeof right !== "object" || !left || !right) {
    return left === right;
  }
  const keys = walk.spend(Object.keys(left));
  return (
    Array.isArray(left) === Array.isArray(right) &&
    keys.length === walk.spend(Object.keys(right)).length &&
    keys.every(
      (key) => Object.hasOwn(right, key) && isSame(left[key as never], right[key as never], walk),
    )
  );
}

const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  [
    "type",
    (types: string | string[], value, { spend }) =>
      spend([types].flat()).some((type) => isOfType(type, value)),
  ],
  ["const", (constant, value, walk) => isSame(constant, value, walk)],
  [
    "enum",
    (options: unknown[], value, walk) =>
      walk.spend(options).some((option) => isSame(option, value, walk)),
  ],
  ["minimum", (least: number, value) => typeof value !== "number" || value >= least],
  ["maximum", (most: number, value) => typeof value !== "number" || value <= most],
  ["minLength", (least: number, value) => typeof value !== "string" || value.length >= least],
  ["maxLength", (most: number, value) => typeof value !== "string" || value.length <= most],
  ["minItems", (least: number, value) => !Array.isArray(value) || value.length >= least],
  ["maxItems", (most: number, value) => !Array.isArray(value) || value.length <= most],
  [
    "required",
    (keys: string[], value, { spend }) =>
      !isObject(value) || spend(keys).every((key) => Object.hasOwn(value, key)),
  ],
  [
    "properties",
    (properties: Schema, value, { spend, fits }) =>
      !isObject(value) ||
      spend(Object.keys(properties)).every(
        (key) => !Object.hasOwn(value, key) || fits(value[key], properties[key]),
      ),
  ],
  [
    "additionalProperties",
    (rest: unknown, value, { spend, fits }, { properties = {} }) =>
      !isObject(value) ||
      spend(Object.keys(value)).every(
        (key) => Object.hasOwn(properties as object, key) || fits(value[key], rest),
      ),
  ],
  [
    "items",
    (items: unknown, value, { spend, fits }) =>
      !Array.isArray(value) || spend(value).every((item) => fits(item, items)),
  ],
  [
    "allOf",
    (all: unknown[], value, { spend, fits }) => spend(all).every((schema) => fits(value, schema)),
  ],
  [
    "anyOf",
    (any: unknown[], value, { spend, fits }) => spend(any).some((schema) => fits(value, schema)),
  ],
  [
    "oneOf",
    (any: unknown[], value, { spend, fits }) =>
      spend(any).filter((schema) => fits(value, schema)).length === 1,
  ],
  ["not", (schema: unknown, value, { fits }) => !fits(value, schema)],
]);

/** Whether a JSON value has the shape that a schema describes. An invalid schema matches nothing. */
export function fitsSchema(value: unknown, schema: unknown): boolean {
  let spent = 0;
  const walk: Walk = {
    spend: (items) => {
      spent += items.length + 1;
      if (spent > BUDGET) throw new RangeError("The schema takes too long to check.");
      return items;
    },
    fits: (item, rules) => {
      if (typeof rules === "boolean") return rules;
      if (!isObject(rules)) return false;
      return walk
        .spend(Object.keys(rules))
        .every(
          (keyword) => checks.get(keyword)?.(rules[keyword] as never, item, walk, rules) ?? true,
        );
    },
  };
  try {
    return walk.fits(value, schema);
  } catch {
    // Too long, or a keyword with a value of the wrong type.
    return false;
  }
}
