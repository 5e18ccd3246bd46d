// Validates options against their schemas, on the server and, for documents that arrive at run time, in
// the view. The value may be hostile: the walk is as deep as the schema, and definitions that contain
// themselves are only followed as deep as `deepest`.

import { nearest } from "../nearest.ts";
import type { OptionSchema } from "./option.ts";

/** A problem of a value, and its place. */
export interface OptionFault {
  code: "unknown-option" | "wrong-option";
  /** The place in the value, as `columns[0].format`. */
  at: string;
  /** The rest of the sentence about it. */
  problem: string;
}

/** What schemas refer to. */
export interface OptionScope {
  defs?: Readonly<Record<string, OptionSchema>> | undefined;
  /** The tools that may be named; every tool if left out. */
  tools?: readonly string[] | undefined;
  deepest?: number | undefined;
}

type Faults = Iterable<OptionFault>;

/** The problems of a value, in its order. */
export function* checkOption(
  value: unknown,
  schema: OptionSchema,
  at: string,
  scope: OptionScope = {},
): Faults {
  if (schema.$ref !== undefined) {
    yield* checkDefinition(value, schema.$ref, at, scope);
  } else if (schema.anyOf) {
    yield* checkAlternatives(value, schema.anyOf, at, scope);
  } else if (schema.enum || schema.const !== undefined) {
    const allowed = schema.enum ?? [schema.const];
    if (!allowed.includes(value as string)) yield notAllowed(value, allowed as string[], at);
  } else if (schema.type !== undefined && !isOfType(value, schema.type)) {
    yield wrong(at, `is ${show(value)} instead of ${TYPE_NAMES[schema.type]}`);
  } else if (typeof value === "string") {
    yield* checkText(value, schema, at, scope);
  } else if (typeof value === "number") {
    yield* checkNumber(value, schema, at);
  } else if (Array.isArray(value)) {
    yield* checkList(value, schema, at, scope);
  } else if (typeof value === "object" && value !== null) {
    yield* checkObject(value as Record<string, unknown>, schema, at, scope);
  }
}

const TYPE_NAMES = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

function* checkDefinition(value: unknown, ref: string, at: string, scope: OptionScope): Faults {
  const { defs = {}, deepest = 32 } = scope;
  const schema = defs[ref.slice("#/$defs/".length)];
  if (deepest <= 0) yield wrong(at, "is nested too deeply");
  else if (schema) yield* checkOption(value, schema, at, { ...scope, deepest: deepest - 1 });
}

/** The best alternative's problems: of objects the one with the same `type`, else all that is allowed. */
function* checkAlternatives(
  value: unknown,
  alternatives: readonly OptionSchema[],
  at: string,
  scope: OptionScope,
): Faults {
  const kinds = alternatives.filter((one) => one.properties?.type?.const !== undefined);
  if (kinds.length > 0) {
    yield* checkKinds(value, kinds, at, scope);
    return;
  }
  const faults = alternatives.map((one) => [...checkOption(value, one, at, scope)]);
  if (faults.some((found) => found.length === 0)) return;
  // An alternative of the right type explains more than a list of types.
  const near = alternatives.findIndex(({ type }) => type !== undefined && isOfType(value, type));
  const isNested = typeof value === "object";
  if (near >= 0 && isNested) {
    yield* faults[near] as OptionFault[];
    return;
  }
  const allowed = alternatives.flatMap((one) => one.enum ?? one.examples ?? []).map(String);
  if (allowed.length > 0 && typeof value === "string") yield notAllowed(value, allowed, at);
  else {
    const types = alternatives.map(({ type }) => (type ? TYPE_NAMES[type] : "another value"));
    yield wrong(at, `is ${show(value)} instead of ${[...new Set(types)].join(" or ")}`);
  }
}

function* checkKinds(
  value: unknown,
  kinds: readonly OptionSchema[],
  at: string,
  scope: OptionScope,
): Faults {
  if (!isOfType(value, "object")) {
    yield wrong(at, `is ${show(value)} instead of an object with a type`);
    return;
  }
  const { type } = value as { type?: unknown };
  const kind = kinds.find(({ properties }) => properties?.type?.const === type);
  if (kind) yield* checkOption(value, kind, at, scope);
  else {
    const names = kinds.flatMap(({ properties }) => properties?.type?.const ?? []);
    yield notAllowed(type, names, at ? `${at}.type` : "type");
  }
}

function* checkText(value: string, schema: OptionSchema, at: string, scope: OptionScope): Faults {
  if (schema.format === "tool" && scope.tools && !scope.tools.includes(value)) {
    yield wrong(at, `is ${show(value)}, which is not a tool of this page`);
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) {
    const [example] = schema.examples ?? [];
    yield wrong(at, `is ${show(value)}${example ? ` instead of, for example, "${example}"` : ""}`);
  }
}

function* checkNumber(value: number, { minimum, maximum }: OptionSchema, at: string): Faults {
  if (minimum !== undefined && value < minimum) {
    yield wrong(at, `is ${value}, but the least is ${minimum}`);
  }
  if (maximum !== undefined && value > maximum) {
    yield wrong(at, `is ${value}, but the most is ${maximum}`);
  }
}

function* checkList(
  value: readonly unknown[],
  schema: OptionSchema,
  at: string,
  scope: OptionScope,
): Faults {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (value.length < minItems) yield wrong(at, `has less than ${minItems} entries`);
  if (value.length > maxItems) yield wrong(at, `has more than ${maxItems} entries`);
  if (!items) return;
  for (const [index, item] of value.slice(0, maxItems).entries()) {
    yield* checkOption(item, items, `${at}[${index}]`, scope);
  }
}

function* checkObject(
  value: Record<string, unknown>,
  schema: OptionSchema,
  at: string,
  scope: OptionScope,
): Faults {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const inside = (key: string): string => (at ? `${at}.${key}` : key);
  for (const key of required) {
    if (!Object.hasOwn(value, key) || value[key] === undefined) {
      yield wrong(inside(key), "is missing");
    }
  }
  for (const [key, item] of Object.entries(value)) {
    // What JSON.stringify leaves out was never there.
    if (item === undefined) continue;
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (known) yield* checkOption(item, known, inside(key), scope);
    else if (additionalProperties === false) yield unknown(inside(key), key, properties);
    else if (additionalProperties !== true) {
      yield* checkOption(item, additionalProperties, inside(key), scope);
    }
  }
}

function unknown(at: string, key: string, properties: object): OptionFault {
  const names = Object.keys(properties);
  return {
    code: "unknown-option",
    at,
    problem: `is not an option.${meant(key, names)} Choose from: ${names.join(", ")}`,
  };
}

function notAllowed(
  value: unknown,
  allowed: readonly (string | number)[],
  at: string,
): OptionFault {
  const names = allowed.map(String);
  const hint = typeof value === "string" ? meant(value, names) : "";
  return wrong(at, `is ${show(value)}.${hint} Choose from: ${names.join(", ")}`);
}

function meant(word: string, names: readonly string[]): string {
  // A beginning is a better guess than an equal number of letters: "currency" is "currency:EUR".
  const name = names.find((one) => one.startsWith(`${word}:`)) ?? nearest(word, names);
  return name === undefined ? "" : ` Did you mean "${name}"?`;
}

function wrong(at: string, problem: string): OptionFault {
  return { code: "wrong-option", at, problem };
}

function isOfType(value: unknown, type: NonNullable<OptionSchema["type"]>): boolean {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

/** A value in a message: short, and on one line. Objects and lists are named, not written. */
function show(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 80 ? `${json.slice(0, 79).replace(/[\uD800-\uDBFF]$/, "")}…` : json;
}
