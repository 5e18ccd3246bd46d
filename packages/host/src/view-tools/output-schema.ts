// Whether a result is what its tool promised: the part of JSON Schema that describes shapes. A keyword
// that is not here is not checked; a validator that knows them all would weigh more than the Host.

type Schema = Record<string, unknown>;

/** One check of a value against a schema, both of them a View's and perhaps made to keep us busy. */
interface Walk {
  fits(value: unknown, schema: unknown): boolean;
  /** Throws when so much has been looked at that an honest schema would be done. */
  spend<T extends { length: number }>(items: T): T;
}

type Check = (rule: never, value: unknown, walk: Walk, schema: Schema) => boolean;

const BUDGET = 200_000;

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
    (types: string | string[], value) => [types].flat().some((type) => isOfType(type, value)),
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
      spend(Object.entries(properties)).every(
        ([key, property]) => !Object.hasOwn(value, key) || fits(value[key], property),
      ),
  ],
  [
    "additionalProperties",
    (rest: unknown, value, { spend, fits }, { properties = {} }) =>
      !isObject(value) ||
      spend(Object.entries(value)).every(
        ([key, item]) => Object.hasOwn(properties as object, key) || fits(item, rest),
      ),
  ],
  [
    "items",
    (items: unknown, value, { fits }) =>
      !Array.isArray(value) || value.every((item) => fits(item, items)),
  ],
  ["allOf", (all: unknown[], value, { fits }) => all.every((schema) => fits(value, schema))],
  ["anyOf", (any: unknown[], value, { fits }) => any.some((schema) => fits(value, schema))],
  [
    "oneOf",
    (any: unknown[], value, { fits }) => any.filter((schema) => fits(value, schema)).length === 1,
  ],
  ["not", (schema: unknown, value, { fits }) => !fits(value, schema)],
]);

/** Whether a JSON value has the shape a schema describes; what is no schema fits nothing. */
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
        .spend(Object.entries(rules))
        .every(
          ([keyword, rule]) => checks.get(keyword)?.(rule as never, item, walk, rules) ?? true,
        );
    },
  };
  try {
    return walk.fits(value, schema);
  } catch {
    // Too long, or a keyword with a value of the wrong kind.
    return false;
  }
}
