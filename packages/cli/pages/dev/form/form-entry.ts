// What a tool's form holds: the drafts of its fields, or the input as JSON.

import { type Draft, draftOf, initialDraft } from "./form-draft.ts";
import type { formOf } from "./form-node.ts";
import { readForm } from "./form-reading.ts";
import { schemaOf } from "./plain-schema.ts";

/** The content of a form. */
export interface FormEntry {
  draft: Draft;
  /** The input as text, while the user edits that. */
  json?: string;
  /** The fields can't show this input without losing a part of it. */
  isUnfit?: boolean;
}

type Form = ReturnType<typeof formOf>;

/** A form as it is at first. */
export function emptyEntry(form: Form): FormEntry {
  return form ? { draft: initialDraft(form, true) } : { draft: undefined, json: "{}" };
}

/** A form with an input: in its fields if these hold all of it, otherwise as JSON. */
export function filledEntry(form: Form, input: Record<string, unknown>): FormEntry {
  const json = JSON.stringify(input, null, 2);
  if (!form) return { draft: undefined, json };
  const draft = draftOf(form, input);
  const { value } = readForm(form, draft);
  return isSame(value, input)
    ? { draft }
    : { draft: initialDraft(form, true), json, isUnfit: true };
}

/** The error in arguments that are written as JSON. */
export function jsonError(text: string): string | undefined {
  try {
    return schemaOf(JSON.parse(text)) ? undefined : "Enter an object: { … }.";
  } catch (error) {
    return `Invalid JSON: ${(error as Error).message}.`;
  }
}

/** Whether two JSON values are equal, in whatever order their members are. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || !one || !other)
    return Object.is(one, other);
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every(
    (name) =>
      Object.hasOwn(other, name) &&
      isSame((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]),
  );
}
