// A tool's input schema as the nodes of a form. A schema comes from a server and can be anything, of any
// size: parts that can't be a field, or are too deep or too many, are edited as JSON.

import { plainSchema, type Schema, schemaOf } from "./plain-schema.ts";

/** A part of a form without parts of its own. */
export interface LeafNode extends NodeText {
  kind: LeafKind;
  /** The values of an enumeration. */
  options?: readonly Option[] | undefined;
  /** Minimum and maximum; lengths for strings. */
  minimum?: number | undefined;
  maximum?: number | undefined;
  pattern?: string | undefined;
  /** For JSON: its required type. */
  shape?: "array" | "object" | undefined;
}

export type LeafKind =
  | "string"
  | "text"
  | "number"
  | "integer"
  | "boolean"
  | "enum"
  | "date"
  | "time"
  | "date-time"
  | "json";

/** One value of an enumeration. */
export interface Option {
  value: unknown;
  label: string;
}

/** An object with named fields. */
export interface ObjectNode extends NodeText {
  kind: "object";
  fields: readonly FormField[];
}

/** An array whose items are alike. */
export interface ListNode extends NodeText {
  kind: "list";
  item: FormNode;
  minimum?: number | undefined;
  maximum?: number | undefined;
}

/** One of several alternatives. */
export interface ChoiceNode extends NodeText {
  kind: "choice";
  branches: readonly FormNode[];
}

export type FormNode = LeafNode | ObjectNode | ListNode | ChoiceNode;

/** A field of an object. */
export interface FormField {
  name: string;
  required: boolean;
  node: FormNode;
}

interface NodeText {
  /** The schema's title; empty if it has none. */
  title: string;
  description?: string | undefined;
  default?: unknown;
}

/** Where a schema stands: how deep, and how many nodes the rest may have. */
interface Position {
  root: Schema;
  depth: number;
  budget: { left: number };
}

const DEPTH = 6;
const NODES = 400;
const OPTIONS = 1000;
const BRANCHES = 20;
const LONG = /text|body|content|query|prompt|code|html|markdown|message|description/i;

/** The form of a schema; nothing if it must be written as JSON. */
export function formOf(schema: unknown): ObjectNode | ChoiceNode | undefined {
  const root = schemaOf(schema) ?? {};
  const position: Position = { root, depth: 0, budget: { left: NODES } };
  const node = nodeOf(root, "", position);
  if (node.kind === "object") return node;
  if (node.kind === "choice" && node.branches.every(({ kind }) => kind === "object")) return node;
  const { type, properties } = plainSchema(root, root);
  const isOpen = (type === undefined || type === "object") && !schemaOf(properties);
  // A tool without input, which is usual; alternatives that can't be shown are not.
  return isOpen && !root.anyOf && !root.oneOf
    ? { kind: "object", title: "", fields: [] }
    : undefined;
}

function nodeOf(given: Schema, name: string, position: Position): FormNode {
  const schema = plainSchema(given, position.root);
  const text = textOf(schema);
  position.budget.left--;
  const options = optionsOf(schema);
  if (options) return { ...text, kind: "enum", options };
  const isAllowed = position.depth < DEPTH && position.budget.left > 0;
  const part = isAllowed
    ? compoundOf(schema, { ...position, depth: position.depth + 1 })
    : undefined;
  return part ? { ...text, ...part } : { ...text, ...leafOf(schema, name) };
}

function compoundOf(
  schema: Schema,
  position: Position,
): Omit<ObjectNode, "title"> | Omit<ListNode, "title"> | Omit<ChoiceNode, "title"> | undefined {
  const { type, properties, items } = schema;
  const members = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(members)) return choiceOf(schema, members, position);
  const list = schemaOf(properties);
  if (list && (type === undefined || type === "object")) {
    // A form with some of them would be wrong without a word.
    if (Object.keys(list).length > position.budget.left) return undefined;
    return { kind: "object", fields: fieldsOf(list, schema.required, position) };
  }
  const item = schemaOf(items);
  if (type !== "array" || !item) return undefined;
  return {
    kind: "list",
    item: nodeOf(item, "", position),
    minimum: numberOf(schema.minItems),
    maximum: numberOf(schema.maxItems),
  };
}

function fieldsOf(list: Schema, required: unknown, position: Position): FormField[] {
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(list).map(([name, property]) => ({
    name,
    required: needed.has(name),
    node: nodeOf(schemaOf(property) ?? {}, name, position),
  }));
}

function choiceOf(
  schema: Schema,
  members: readonly unknown[],
  position: Position,
): Omit<ChoiceNode, "title"> | undefined {
  if (members.length < 2 || members.length > BRANCHES) return undefined;
  const { oneOf, anyOf, title, description, ...shared } = schema;
  const branches = members.map((member) => {
    const own = plainSchema(schemaOf(member) ?? {}, position.root);
    // Properties next to the alternatives apply to each of them.
    return nodeOf({ ...shared, ...own, ...mergedProperties(shared, own) }, "", position);
  });
  return { kind: "choice", branches };
}

function mergedProperties(shared: Schema, own: Schema): Schema {
  const both = [schemaOf(shared.properties), schemaOf(own.properties)];
  if (!both[0]) return {};
  const required = [shared.required, own.required].filter(Array.isArray).flat();
  return { properties: { ...both[0], ...both[1] }, required };
}

function leafOf(schema: Schema, name: string): Omit<LeafNode, "title"> {
  const size = schema.type === "string" ? ["minLength", "maxLength"] : ["minimum", "maximum"];
  const [minimum, maximum] = size.map((key) => numberOf(schema[key]));
  const { pattern } = schema;
  return {
    ...kindOf(name, schema),
    minimum,
    maximum,
    pattern: typeof pattern === "string" ? pattern : undefined,
  };
}

function kindOf(name: string, schema: Schema): Pick<LeafNode, "kind" | "shape"> {
  const { type, format } = schema;
  switch (type) {
    case "string":
      if (format === "date" || format === "time" || format === "date-time") return { kind: format };
      return { kind: mayHaveLines(name, schema) ? "text" : "string" };
    case "number":
    case "integer":
    case "boolean":
      return { kind: type };
    case "array":
    case "object":
      return { kind: "json", shape: type };
    default:
      return { kind: "json" };
  }
}

/** The values of `enum` or `const`, or of `oneOf` or `anyOf` whose members are constants. */
function optionsOf(schema: Schema): Option[] | undefined {
  const members = schema.oneOf ?? schema.anyOf;
  const listed = Array.isArray(schema.enum)
    ? schema.enum.map((value) => ({ value, label: labelOf(value) }))
    : schema.const !== undefined
      ? [{ value: schema.const, label: labelOf(schema.const) }]
      : Array.isArray(members) && members.length > 0
        ? members.map((member) => {
            const { const: value, title } = schemaOf(member) ?? {};
            return { value, label: typeof title === "string" ? cut(title, 100) : labelOf(value) };
          })
        : [];
  const isList = listed.length > 0 && listed.length <= OPTIONS;
  return isList && listed.every(({ value }) => value !== undefined) ? listed : undefined;
}

function labelOf(value: unknown): string {
  return cut(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), 100);
}

function textOf({ title, description, default: given }: Schema): NodeText {
  return {
    title: typeof title === "string" ? cut(title, 100) : "",
    ...(typeof description === "string" && { description: cut(description, 2000) }),
    ...(given !== undefined && { default: given }),
  };
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** By its name, or because its value has several lines, which an input of one line would lose. */
function mayHaveLines(name: string, { default: usual, format, maxLength }: Schema): boolean {
  if (typeof usual === "string" && usual.includes("\n")) return true;
  return LONG.test(name) && !format && !maxLength;
}
