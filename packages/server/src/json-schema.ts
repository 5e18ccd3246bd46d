// The part of JSON Schema that text, templates and auto views read. A schema may come from a
// third-party server: nothing is fetched, nothing is evaluated, and every walk ends.

import { labelOf } from "./key-label.ts";

/** The types of JSON Schema. */
export type SchemaType =
  | "object"
  | "array"
  | "string"
  | "number"
  | "integer"
  | "boolean"
  | "null"
  | undefined;

/** A JSON Schema as received: any object. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A value of a fixed set, and its label. */
export interface SchemaChoice {
  readonly value: unknown;
  readonly label: string;
}

/** A property of an object. */
export interface SchemaProperty {
  readonly name: string;
  /** Its title, or its name as words. */
  readonly label: string;
  readonly required: boolean;
  readonly node: SchemaNode;
}

/** One position in a schema, with references, `allOf` and "or null" resolved. */
export interface SchemaNode {
  /** The only type besides null; `undefined` if there are several or none is declared. */
  readonly type: SchemaType;
  readonly nullable: boolean;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly format: string | undefined;
  /** The choices that `enum`, `const` or alternatives of constants leave. */
  readonly choices: readonly SchemaChoice[] | undefined;
  /** The schema itself, for other keywords; its values are unchecked. */
  readonly schema: JsonSchema;
  /** For an object, in the order of the schema. */
  properties(): readonly SchemaProperty[];
  property(name: string): SchemaNode | undefined;
  /** For an array; `undefined` if the schema doesn't declare it. */
  items(): SchemaNode | undefined;
  /** For an object used as a map. */
  values(): SchemaNode | undefined;
}

const mostHops = 16;
// References that meet in `allOf` multiply: sixteen that lead back to themselves give too many
// positions to read. So reading one schema has a limit, after which it returns nothing more.
const mostSteps = 20_000;
const mostProperties = 512;
const mostChoices = 512;
const TYPES: readonly unknown[] = [
  "object",
  "array",
  "string",
  "number",
  "integer",
  "boolean",
  "null",
];

/** Opens a schema for reading; an invalid schema reads as an empty one. */
export function readSchema(schema: unknown): SchemaNode {
  return node(schema, { schema: isRecord(schema) ? schema : {}, steps: mostSteps });
}

/** Whether a value of this schema fits into one line of text. */
export function isScalar({ type, choices }: SchemaNode): boolean {
  return (type !== undefined && type !== "object" && type !== "array") || choices !== undefined;
}

/** Whether it is an object of scalars, and so a row of a table. */
export function isFlat(schema: SchemaNode): boolean {
  const properties = schema.properties();
  return schema.type === "object" && properties.length > 0 && properties.every(isScalarProperty);
}

function isScalarProperty({ node }: SchemaProperty): boolean {
  return isScalar(node);
}

interface WithJsonSchema {
  "~standard"?: {
    jsonSchema?: { input?: Convert; output?: Convert };
  };
}
type Convert = (options: { target: string }) => unknown;

/**
 * The JSON Schema of a Standard Schema (zod 4, ArkType, Valibot with its converter), or the value
 * itself if it is already JSON Schema; `undefined` if there is none.
 */
export function toJsonSchema(schema: unknown, side: "input" | "output"): JsonSchema | undefined {
  if (!isRecord(schema) && typeof schema !== "function") return undefined;
  const standard = (schema as WithJsonSchema)["~standard"];
  if (!standard) return isJsonSchema(schema) ? schema : undefined;
  try {
    const json = standard.jsonSchema?.[side]?.({ target: "draft-2020-12" });
    return isRecord(json) ? json : undefined;
  } catch {
    // A schema with a part that JSON can't express, such as a transform: the SDK reports it.
    return undefined;
  }
}

// A raw shape `{ field: z.string() }` is an object too, but not a schema.
function isJsonSchema(value: unknown): value is JsonSchema {
  return (
    isRecord(value) &&
    ["type", "properties", "$ref", "allOf", "anyOf", "oneOf", "enum", "const", "$schema"].some(
      (keyword) => {
        const given = own(value, keyword);
        return given !== undefined && !(isRecord(given) && "~standard" in given);
      },
    )
  );
}

/** A whole schema, and how much of it may still be read. */
interface Root {
  readonly schema: JsonSchema;
  steps: number;
}

function node(value: unknown, root: Root): SchemaNode {
  const { schema, nullable: orNull } = resolve(value, root, mostHops);
  const types = list(own(schema, "type")).filter((type) => TYPES.includes(type));
  const some = types.filter((type) => type !== "null") as SchemaType[];
  const choices = choicesOf(schema);
  const properties = propertiesOf(schema, root);
  const only = some.length === 1 ? some[0] : undefined;
  const guess = own(schema, "properties") !== undefined ? "object" : undefined;
  return {
    type: only ?? (some.length === 0 ? (guess ?? typeOfChoices(choices)) : undefined),
    nullable: orNull || types.includes("null"),
    title: text(own(schema, "title")),
    description: text(own(schema, "description")),
    format: text(own(schema, "format")),
    choices,
    schema,
    properties,
    property: (name) => properties().find((property) => property.name === name)?.node,
    items: () => below(own(schema, "items"), root),
    values: () => below(own(schema, "additionalProperties"), root),
  };
}

function below(value: unknown, root: Root): SchemaNode | undefined {
  return isRecord(value) ? node(value, root) : undefined;
}

function propertiesOf(schema: JsonSchema, root: Root): () => readonly SchemaProperty[] {
  let known: SchemaProperty[] | undefined;
  return () => {
    if (known) return known;
    const declared = own(schema, "properties");
    const required = list(own(schema, "required"));
    const names = isRecord(declared) ? Object.keys(declared).slice(0, mostProperties) : [];
    known = names.map((name) => {
      const child = node(own(declared as JsonSchema, name), root);
      const label = labelOf(name, child.title);
      return { name, label, required: required.includes(name), node: child };
    });
    return known;
  };
}

interface Resolved {
  schema: JsonSchema;
  nullable: boolean;
}

/** Follows references within the document, joins `allOf`, unwraps "this or null". */
function resolve(value: unknown, root: Root, hops: number): Resolved {
  if (!isRecord(value) || hops <= 0 || --root.steps < 0) return { schema: {}, nullable: false };
  const { $ref, allOf, anyOf, oneOf, ...rest } = value;
  let resolved: Resolved = { schema: rest, nullable: false };
  // Only references within the same document: fetching would let a schema choose an address.
  if (typeof $ref === "string" && $ref.startsWith("#")) {
    resolved = join(resolved, resolve(pointed(root.schema, $ref), root, hops - 1));
  }
  for (const part of list(allOf).slice(0, mostHops)) {
    resolved = join(resolved, resolve(part, root, hops - 1));
  }
  const alternatives = [...list(anyOf), ...list(oneOf)];
  const some = alternatives.filter((part) => !(isRecord(part) && own(part, "type") === "null"));
  const nullable = resolved.nullable || some.length < alternatives.length;
  const [only] = some;
  // A constant stays an alternative: its title labels the value, not the position.
  const isPlace = some.length === 1 && !(isRecord(only) && Object.hasOwn(only, "const"));
  if (isPlace) resolved = join(resolved, resolve(only, root, hops - 1));
  else if (some.length > 0) resolved = { schema: { ...resolved.schema, anyOf: some }, nullable };
  return { schema: resolved.schema, nullable: nullable || resolved.nullable };
}

function join(one: Resolved, other: Resolved): Resolved {
  const merge = (key: string): JsonSchema => {
    const [a, b] = [own(one.schema, key), own(other.schema, key)];
    return isRecord(a) && isRecord(b) ? { [key]: { ...a, ...b, ...a } } : {};
  };
  const required = [...list(own(one.schema, "required")), ...list(own(other.schema, "required"))];
  return {
    schema: {
      ...other.schema,
      ...one.schema,
      ...merge("properties"),
      ...(required.length > 0 && { required }),
    },
    nullable: one.nullable || other.nullable,
  };
}

function pointed(root: JsonSchema, reference: string): unknown {
  let found: unknown = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    let key = part;
    try {
      key = decodeURIComponent(part);
    } catch {
      // Not encoded: the text is the key.
    }
    key = key.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isRecord(found) || Array.isArray(found) ? own(found as JsonSchema, key) : undefined;
  }
  return found;
}

function choicesOf(schema: JsonSchema): readonly SchemaChoice[] | undefined {
  if (Object.hasOwn(schema, "const")) return [choice(schema.const)];
  const given = own(schema, "enum");
  if (Array.isArray(given)) return given.slice(0, mostChoices).map((value) => choice(value));
  const alternatives = list(own(schema, "anyOf"));
  if (alternatives.length === 0) return undefined;
  const constants = alternatives.filter(
    (part): part is JsonSchema => isRecord(part) && Object.hasOwn(part, "const"),
  );
  if (constants.length !== alternatives.length) return undefined;
  return constants.slice(0, mostChoices).map((part) => choice(part.const, text(part.title)));
}

function choice(value: unknown, title?: string): SchemaChoice {
  return { value, label: title ?? (typeof value === "string" ? value : JSON.stringify(value)) };
}

function typeOfChoices(choices: readonly SchemaChoice[] | undefined): SchemaType {
  const kinds = new Set(choices?.map(({ value }) => (value === null ? "null" : typeof value)));
  const [kind] = kinds;
  return kinds.size === 1 && TYPES.includes(kind) ? (kind as SchemaType) : undefined;
}

/** A property that is the object's own; a schema may name `__proto__` or `constructor`. */
function own(record: object, key: string): unknown {
  return Object.hasOwn(record, key) ? (record as JsonSchema)[key] : undefined;
}

function list(value: unknown): readonly unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** Whether it is an object but not an array. */
export function isRecord(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
