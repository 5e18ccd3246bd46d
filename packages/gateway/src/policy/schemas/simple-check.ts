// Checks a value against a simple subset of JSON Schema on the event loop. Most tools only need objects,
// lists and primitive values. Nothing is compiled and the steps are counted. A schema or value that needs
// more steps or other keywords goes to a worker, which can be terminated.

import { isLargeNumber } from "../../json-rpc/parse.ts";

/** The value can't be checked here. */
export const UNSURE: unique symbol = Symbol("unsure");

/** A description of the first mistake, undefined if the value matches, or `UNSURE`. */
export type SimpleResult = string | undefined | typeof UNSURE;

type Schema = Readonly<Record<string, unknown>>;
type Keyword = (rule: unknown, value: unknown, at: Position) => SimpleResult;

interface Position {
  readonly schema: Schema;
  readonly depth: number;
  readonly budget: Budget;
}

const MOST_STEPS = 5_000;
const DEEPEST = 32;

/** Keywords without an effect on the result. `format` is an annotation in 2020-12. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"],
  ...["$schema", "$id", "$comment", "$defs", "definitions", "format"],
  ...["contentEncoding", "contentMediaType", "x-mcp-header"],
]);

/** Checks a value that was parsed from JSON. */
export function checkSimple(schema: unknown, value: unknown): SimpleResult {
  const result = checkAt(schema, value, { depth: 0, budget: new Budget() });
  if (typeof result !== "string") return result;
  const end = result.indexOf(" ");
  return `${result.slice(0, Math.min(end, 100)) || "the object"}${result.slice(end)}`.slice(0, 300);
}

class Budget {
  #steps = MOST_STEPS;

  /** Takes steps. Returns false once none are left. */
  spend(steps: number): boolean {
    this.#steps -= steps;
    return this.#steps >= 0;
  }
}

function checkAt(schema: unknown, value: unknown, at: Omit<Position, "schema">): SimpleResult {
  if (schema === true) return undefined;
  if (schema === false) return " is not allowed";
  if (!isObject(schema) || Array.isArray(schema) || isLargeNumber(value)) return UNSURE;
  const keys = Object.keys(schema);
  if (at.depth > DEEPEST || !at.budget.spend(keys.length + 1)) return UNSURE;
  // A keyword may change the meaning of its neighbours, so apply none before all are known.
  for (const key of keys) if (!KEYWORDS.has(key) && !ANNOTATIONS.has(key)) return UNSURE;
  const position: Position = { ...at, schema: schema as Schema };
  for (const key of keys) {
    const result = KEYWORDS.get(key)?.(position.schema[key], value, position);
    if (result !== undefined) return result;
  }
  return undefined;
}

const TYPES: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map([
  ["string", (value: unknown) => typeof value === "string"],
  ["number", (value: unknown) => Number.isFinite(value)],
  ["integer", (value: unknown) => Number.isInteger(value)],
  ["boolean", (value: unknown) => typeof value === "boolean"],
  ["null", (value: unknown) => value === null],
  ["array", (value: unknown) => Array.isArray(value)],
  ["object", (value: unknown) => isObject(value) && !Array.isArray(value)],
]);

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ["type", checkType],
  [
    "enum",
    (rule, value, { budget }) => {
      if (!Array.isArray(rule) || isObject(value) || !budget.spend(rule.length)) return UNSURE;
      return rule.includes(value) ? undefined : " must be equal to one of the allowed values";
    },
  ],
  [
    "const",
    (rule, value) => {
      if (isObject(rule) || isObject(value)) return UNSURE;
      return rule === value ? undefined : " must be equal to constant";
    },
  ],
  ["required", checkRequired],
  ["properties", checkProperties],
  // With `properties` next to it, both are checked there.
  [
    "additionalProperties",
    (_rule, value, at) => (at.schema.properties ? undefined : checkProperties({}, value, at)),
  ],
  ["items", checkItems],
  ["anyOf", checkAnyOf],
  limit("minimum", "number", (value, rule) => value >= rule, ">="),
  limit("maximum", "number", (value, rule) => value <= rule, "<="),
  limit("exclusiveMinimum", "number", (value, rule) => value > rule, ">"),
  limit("exclusiveMaximum", "number", (value, rule) => value < rule, "<"),
  limit("minLength", "string", (value, rule) => value >= rule, "must NOT have fewer than"),
  limit("maxLength", "string", (value, rule) => value <= rule, "must NOT have more than"),
  limit("minItems", "array", (value, rule) => value >= rule, "must NOT have fewer than"),
  limit("maxItems", "array", (value, rule) => value <= rule, "must NOT have more than"),
]);

const UNITS: Readonly<Record<"string" | "array", string>> = {
  string: "characters",
  array: "items",
};

/** A keyword that compares a number or a length with a limit. */
function limit(
  name: string,
  kind: "number" | "string" | "array",
  fits: (value: number, rule: number) => boolean,
  comparison: string,
): [string, Keyword] {
  return [
    name,
    (rule, value, { budget }) => {
      if (typeof rule !== "number") return UNSURE;
      const size = sizeOf(value, kind, budget);
      if (size === undefined || size === UNSURE || fits(size, rule)) {
        return size === UNSURE ? UNSURE : undefined;
      }
      return kind === "number"
        ? ` must be ${comparison} ${rule}`
        : ` ${comparison} ${rule} ${UNITS[kind]}`;
    },
  ];
}

/** The number to compare. Undefined for a value of another type. */
function sizeOf(
  value: unknown,
  kind: "number" | "string" | "array",
  budget: Budget,
): number | undefined | typeof UNSURE {
  if (kind === "array") return Array.isArray(value) ? value.length : undefined;
  if (kind === "number") return typeof value === "number" ? value : undefined;
  if (typeof value !== "string") return undefined;
  // JSON Schema counts code points.
  return budget.spend(value.length) ? [...value].length : UNSURE;
}

function checkType(rule: unknown, value: unknown): SimpleResult {
  const names: unknown[] = Array.isArray(rule) ? rule : [rule];
  let fits = false;
  for (const name of names.length > TYPES.size ? [undefined] : names) {
    const isType = TYPES.get(name);
    if (!isType) return UNSURE;
    fits ||= isType(value);
  }
  return fits ? undefined : ` must be ${names.join(",")}`;
}

function checkRequired(rule: unknown, value: unknown, { budget }: Position): SimpleResult {
  if (!Array.isArray(rule) || !budget.spend(rule.length)) return UNSURE;
  if (!isObject(value) || Array.isArray(value)) return undefined;
  for (const name of rule) {
    if (typeof name !== "string") return UNSURE;
    if (!Object.hasOwn(value, name)) return ` must have required property '${name}'`;
  }
  return undefined;
}

function checkProperties(rule: unknown, value: unknown, at: Position): SimpleResult {
  if (!isObject(rule) || Array.isArray(rule)) return UNSURE;
  if (!isObject(value) || Array.isArray(value)) return undefined;
  const { schema, budget } = at;
  const others = Object.hasOwn(schema, "additionalProperties") ? schema.additionalProperties : true;
  const keys = Object.keys(value);
  if (!budget.spend(keys.length)) return UNSURE;
  for (const key of keys) {
    const isKnown = Object.hasOwn(rule, key);
    if (!isKnown && others === false) return " must NOT have additional properties";
    const part = isKnown ? (rule as Schema)[key] : others;
    const result = checkAt(part, (value as Schema)[key], { budget, depth: at.depth + 1 });
    if (result !== undefined) return under(key, result);
  }
  return undefined;
}

function checkItems(rule: unknown, value: unknown, { budget, depth }: Position): SimpleResult {
  if (!Array.isArray(value)) return undefined;
  for (let index = 0; index < value.length; index++) {
    const result = checkAt(rule, value[index], { budget, depth: depth + 1 });
    if (result !== undefined) return under(`${index}`, result);
    if (!budget.spend(1)) return UNSURE;
  }
  return undefined;
}

// Without references, each part of a schema meets a value once, so even nested choices stay within the
// budget. Optional and nullable fields use this form.
function checkAnyOf(rule: unknown, value: unknown, { budget, depth }: Position): SimpleResult {
  if (!Array.isArray(rule) || rule.length === 0) return UNSURE;
  let first: SimpleResult;
  for (const part of rule) {
    const result = checkAt(part, value, { budget, depth: depth + 1 });
    if (result === undefined || result === UNSURE) return result;
    first ??= result;
  }
  return first;
}

function under(key: string, result: string | typeof UNSURE): SimpleResult {
  if (result === UNSURE) return UNSURE;
  const name = key.slice(0, 100).replaceAll("~", "~0").replaceAll("/", "~1").replaceAll(" ", "_");
  return `/${name}${result}`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
