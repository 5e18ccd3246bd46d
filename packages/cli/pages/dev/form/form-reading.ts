// A draft's value, and what is wrong with it.

import type { Draft } from "./form-draft.ts";
import type { FormNode, LeafNode } from "./form-node.ts";
import { schemaOf } from "./plain-schema.ts";

/** What a form has. */
export interface FormReading {
  /** Nothing if the form is empty. */
  value: unknown;
  /** By the path of the node, such as `/address/city`. */
  errors: ReadonlyMap<string, string>;
}

type Found = { value: unknown } | undefined;

/** Reads a form. */
export function readForm(node: FormNode, draft: Draft): FormReading {
  const errors = new Map<string, string>();
  const found = readNode(node, draft, { path: "", required: true, errors });
  return { value: found?.value, errors };
}

/** The only value that a node can have, if there is just one. */
export function constantOf(node: FormNode): { value: unknown } | undefined {
  const [only, ...others] = (node.kind === "enum" && node.options) || [];
  return only && others.length === 0 ? only : undefined;
}

/** The path of a field or an item. */
export function pathOf(parent: string, name: string | number): string {
  return `${parent}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

interface Position {
  path: string;
  required: boolean;
  errors: Map<string, string>;
}

function readNode(node: FormNode, draft: Draft, at: Position): Found {
  if (typeof draft === "object") return readCompound(node, draft, at);
  const { path, required, errors } = at;
  const constant = required ? constantOf(node) : undefined;
  if (constant) return constant;
  const isText = node.kind === "string" || node.kind === "text";
  if (draft === undefined || (draft === "" && !(isText && required))) {
    if (required) errors.set(path, "This field is required.");
    return undefined;
  }
  const [value, error] = readLeaf(node as LeafNode, draft);
  if (error !== undefined) errors.set(path, error);
  return error === undefined ? { value } : undefined;
}

function readCompound(node: FormNode, draft: Draft & object, at: Position): Found {
  const { path, errors } = at;
  if (node.kind === "object" && "fields" in draft) {
    const entries = node.fields.flatMap(({ name, ...field }) => {
      const position = { path: pathOf(path, name), required: field.required, errors };
      const found = readNode(field.node, draft.fields.get(name), position);
      return found ? [[name, found.value] as const] : [];
    });
    return { value: Object.fromEntries(entries) };
  }
  if (node.kind === "list" && "items" in draft) return readList(node, draft.items, at);
  const branch = node.kind === "choice" && "drafts" in draft && node.branches[draft.branch];
  return branch ? readNode(branch, draft.drafts.get(draft.branch), at) : undefined;
}

function readList(
  { item, minimum, maximum }: FormNode & { kind: "list" },
  items: readonly { draft: Draft }[],
  { path, errors }: Position,
): Found {
  const isText = item.kind === "string" || item.kind === "text";
  const values = items.map(
    ({ draft }, index) =>
      readNode(item, isText ? (draft ?? "") : draft, {
        path: pathOf(path, index),
        required: true,
        errors,
      })?.value,
  );
  if (minimum !== undefined && items.length < minimum)
    errors.set(path, minimum === 1 ? "Add at least one item." : `Add at least ${minimum} items.`);
  if (maximum !== undefined && items.length > maximum)
    errors.set(path, `Remove items: at most ${maximum} are allowed.`);
  return { value: values };
}

function readLeaf(node: LeafNode, typed: string | boolean): [value: unknown, error?: string] {
  if (typeof typed === "boolean") return [typed];
  switch (node.kind) {
    case "number":
    case "integer":
      return readNumber(node, typed);
    case "enum": {
      const option = node.options?.find(({ value }) => JSON.stringify(value) === typed);
      return option === undefined ? [undefined, "Choose one of the values."] : [option.value];
    }
    case "json":
      return readJson(node, typed);
    case "date-time":
      return readMoment(typed);
    default: {
      const error = textError(node, typed);
      return error === undefined ? [typed] : [typed, error];
    }
  }
}

function readNumber({ kind, minimum, maximum }: LeafNode, typed: string): [unknown, string?] {
  const value = Number(typed);
  if (!Number.isFinite(value)) return [undefined, `"${typed}" is not a number.`];
  if (kind === "integer" && !Number.isInteger(value)) return [undefined, "Enter a whole number."];
  if (minimum !== undefined && value < minimum) return [undefined, `At least ${minimum}.`];
  if (maximum !== undefined && value > maximum) return [undefined, `At most ${maximum}.`];
  return [value];
}

function readJson({ shape }: LeafNode, typed: string): [unknown, string?] {
  let value: unknown;
  try {
    value = JSON.parse(typed);
  } catch (error) {
    return [undefined, `Invalid JSON: ${(error as Error).message}.`];
  }
  if (shape === "array" && !Array.isArray(value)) return [undefined, "Enter a list: [ … ]."];
  if (shape === "object" && !schemaOf(value)) return [undefined, "Enter an object: { … }."];
  return [value];
}

/** RFC 3339 needs a zone, which the browser's field doesn't have: it is the user's own time. */
function readMoment(typed: string): [unknown, string?] {
  if (/(Z|[+-]\d\d:\d\d)$/i.test(typed)) return [typed];
  const moment = new Date(typed);
  return Number.isNaN(moment.getTime())
    ? [undefined, "Enter a date and a time."]
    : [moment.toISOString()];
}

function textError({ minimum, maximum, pattern }: LeafNode, typed: string): string | undefined {
  if (minimum !== undefined && typed.length < minimum) return `At least ${minimum} characters.`;
  if (maximum !== undefined && typed.length > maximum) return `At most ${maximum} characters.`;
  return pattern !== undefined && !matches(pattern, typed) ? `Must match ${pattern}.` : undefined;
}

// With these limits no pattern takes long.
const MOST_TEXT = 200;
const MOST_REPEATS = 3;
const MOST_ALTERNATIVES = 10;

/**
 * Whether a text matches; a pattern that might take long counts as matched, and so does one that this
 * browser doesn't support. The server checks it anyway.
 */
function matches(pattern: string, text: string): boolean {
  const repeats = pattern.match(/[*+?]|\{\d*,\d*\}/g)?.length ?? 0;
  const alternatives = pattern.split("|").length;
  const hasRepeatedGroup = /\)[*+?{]/.test(pattern);
  const hasReference = /\\[1-9k]/.test(pattern);
  const isLong =
    text.length > MOST_TEXT || repeats > MOST_REPEATS || alternatives > MOST_ALTERNATIVES;
  if (isLong || hasRepeatedGroup || hasReference) return true;
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}
