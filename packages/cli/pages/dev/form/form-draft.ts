// What the user has typed so far, which isn't a value yet.

import type { FormNode, LeafNode } from "./form-node.ts";

/** The draft of a node: text or a boolean for a leaf. A node without one is left out. */
export type Draft = string | boolean | ObjectDraft | ListDraft | ChoiceDraft | undefined;

/** By the name of the field. A map, because a field may have any name. */
export interface ObjectDraft {
  readonly fields: ReadonlyMap<string, Draft>;
}

export interface ListDraft {
  /** With a number that stays when the item moves. */
  readonly items: readonly { readonly id: number; readonly draft: Draft }[];
}

export interface ChoiceDraft {
  readonly branch: number;
  /** By the number of the branch: what was typed is still there when the user returns. */
  readonly drafts: ReadonlyMap<number, Draft>;
}

let ids = 0;
/** An item with a new number. */
export function newItem(draft: Draft): ListDraft["items"][number] {
  return { id: ++ids, draft };
}

/** What a node starts with: defaults, and the smallest valid value for what is required. */
export function initialDraft(node: FormNode, required: boolean): Draft {
  if (node.default !== undefined && node.default !== null) return draftOf(node, node.default);
  if (node.kind === "object") {
    if (!required) return undefined;
    return {
      fields: new Map(
        node.fields.map((field) => [field.name, initialDraft(field.node, field.required)]),
      ),
    };
  }
  if (node.kind === "list")
    return required ? { items: leastItems(node.item, node.minimum) } : undefined;
  if (node.kind === "choice")
    return required ? chosenDraft(node.branches, 0, undefined) : undefined;
  return initialLeaf(node, required);
}

/** A choice with another branch, which starts as it was left. */
export function chosenDraft(
  branches: readonly FormNode[],
  branch: number,
  last: ChoiceDraft | undefined,
): ChoiceDraft {
  const node = branches[branch];
  const drafts = new Map(last?.drafts);
  if (node && !drafts.has(branch)) drafts.set(branch, initialDraft(node, true));
  return { branch, drafts };
}

// A schema may ask for a million items.
const MOST_ITEMS = 20;

function leastItems(item: FormNode, minimum = 0): ListDraft["items"] {
  const count = Math.min(Math.max(Math.floor(minimum), 0), MOST_ITEMS);
  return Array.from({ length: count }, () => newItem(initialDraft(item, true)));
}

function initialLeaf({ kind, options, shape }: LeafNode, required: boolean): Draft {
  if (!required) return undefined;
  if (kind === "boolean") return false;
  if (kind === "enum") return JSON.stringify(options?.[0]?.value);
  return shape === "array" ? "[]" : shape === "object" ? "{}" : undefined;
}

/** A value as a draft. One that the node can't hold is lost or changed: compare what is read again. */
export function draftOf(node: FormNode, value: unknown): Draft {
  if (value === undefined) return undefined;
  switch (node.kind) {
    case "object": {
      const object = Object(value) as Record<string, unknown>;
      return {
        fields: new Map(
          node.fields.map((field) => [
            field.name,
            Object.hasOwn(object, field.name) ? draftOf(field.node, object[field.name]) : undefined,
          ]),
        ),
      };
    }
    case "list":
      return {
        items: Array.isArray(value) ? value.map((each) => newItem(draftOf(node.item, each))) : [],
      };
    case "choice": {
      const found = node.branches.findIndex((branch) => mayHold(branch, value));
      const branch = Math.max(found, 0);
      const chosen = node.branches[branch];
      return { branch, drafts: new Map([[branch, chosen && draftOf(chosen, value)]]) };
    }
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    default:
      return textOf(node.kind, value);
  }
}

/** Whether a value looks like one of this node; constants decide between objects. */
function mayHold(node: FormNode, value: unknown): boolean {
  if (node.kind === "object") {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    const names = new Set(node.fields.map(({ name }) => name));
    return (
      Object.keys(value).every((name) => names.has(name)) &&
      node.fields.every(({ name, required, node: field }) =>
        Object.hasOwn(value, name)
          ? mayHold(field, (value as Record<string, unknown>)[name])
          : !required,
      )
    );
  }
  if (node.kind === "list") return Array.isArray(value);
  if (node.kind === "choice") return node.branches.some((branch) => mayHold(branch, value));
  if (node.kind === "enum")
    return (
      node.options?.some((option) => JSON.stringify(option.value) === JSON.stringify(value)) ===
      true
    );
  if (node.kind === "json") return true;
  if (node.kind === "number" || node.kind === "integer") return typeof value === "number";
  return typeof value === (node.kind === "boolean" ? "boolean" : "string");
}

function textOf(kind: LeafNode["kind"], value: unknown): string {
  if (kind === "json") return JSON.stringify(value, null, 2);
  if (kind === "enum" || typeof value !== "string") return JSON.stringify(value) ?? "";
  return value;
}
