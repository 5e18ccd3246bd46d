// Between what a tool takes and what a field of a page holds, which is text or a tick.

import type { FormField, FormOption } from "../../src/templates/form-fields.ts";
import { isRecord, own, toText } from "../shell/shell.tsx";

/** What a field holds. */
export type Held = string | boolean | File | readonly HeldEntry[];

/** An entry of a group. Its key stays the same if it moves. */
export interface HeldEntry {
  key: number;
  held: ReadonlyMap<string, Held>;
}

let entries = 0;

/** A new entry of a group, with the values of a result or the defaults of its fields. */
export function newEntry(fields: readonly FormField[], given?: unknown): HeldEntry {
  entries += 1;
  return { key: entries, held: firstHeld(fields, [given]) };
}

export function entriesIn(held: Held | undefined): readonly HeldEntry[] {
  return Array.isArray(held) ? held : [];
}

/** What a field shows for a value; `undefined` where the value is none. */
export function toHeld(field: FormField, value: unknown): Held | undefined {
  const { type, options } = field;
  if (value === undefined || value === null || type === "file") return undefined;
  if (type === "group") return heldEntries(field, value);
  if (type === "checkbox") return value === true || value === "true";
  if (type === "select" || type === "radio") return heldOption(options, value);
  if (type === "json") return typeof value === "string" ? value : JSON.stringify(value, null, 2);
  if (type === "lines" && Array.isArray(value)) return value.map((item) => toText(item)).join("\n");
  return toText(value);
}

const MOST_ENTRIES = 50;

function heldEntries({ fields = [], maxItems = MOST_ENTRIES }: FormField, value: unknown): Held {
  const list = Array.isArray(value) ? value.slice(0, maxItems) : [];
  return list.map((item) => newEntry(fields, item));
}

/** Options are held by their place, because their values need not be text. */
function heldOption(options: readonly FormOption[] = [], value: unknown): string | undefined {
  const at = options.findIndex((option) => {
    const own = optionValue(option);
    return own === value || String(own) === value;
  });
  return at < 0 ? undefined : String(at);
}

export function optionValue(option: FormOption): unknown {
  return isRecord(option) ? option.value : option;
}

export function optionLabel(option: FormOption): string {
  return isRecord(option) ? String(option.label ?? option.value) : String(option);
}

/** What the tool gets for what a field holds; `undefined` for a field that was left empty. */
export function toValue(field: FormField, held: Held | undefined): unknown {
  const { type, options = [], fields = [] } = field;
  if (type === "checkbox") return held === true;
  if (type === "file") return held instanceof File ? held : undefined;
  if (type === "group") return entriesIn(held).map((entry) => toArguments(fields, entry.held));
  const text = typeof held === "string" ? held : "";
  if (text === "") return undefined;
  switch (type) {
    case "number":
      return Number(text);
    case "select":
    case "radio":
      return optionValue(options[Number(text)] as FormOption);
    case "lines":
      return text.split("\n").filter((line) => line.trim());
    case "json":
      return JSON.parse(text);
    default:
      return text;
  }
}

/** The arguments for the tool. Empty fields are left out. */
export function toArguments(
  fields: readonly FormField[],
  held: ReadonlyMap<string, Held>,
  fixed: Record<string, unknown> = {},
): Record<string, unknown> {
  const filled = fields.map((field) => [field.name, toValue(field, held.get(field.name))] as const);
  // Entries, so that a field of the name `__proto__` is a property like any other.
  return Object.fromEntries([
    ...Object.entries(fixed),
    ...filled.filter(([, value]) => value !== undefined),
  ]);
}

/** The same values, with the content of files in base64. */
export async function readFiles(value: unknown): Promise<unknown> {
  if (value instanceof File) {
    const { name, type, size } = value;
    return { name, type, size, data: toBase64(new Uint8Array(await value.arrayBuffer())) };
  }
  if (Array.isArray(value)) return Promise.all(value.map(readFiles));
  if (!isRecord(value)) return value;
  const read = Object.entries(value).map(async ([key, item]) => [key, await readFiles(item)]);
  return Object.fromEntries(await Promise.all(read));
}

/** In pieces, because a call has a limit of arguments. */
function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(text);
}

/** What each field holds before anybody typed: the result's value, the tool's argument, the default. */
export function firstHeld(
  fields: readonly FormField[],
  sources: readonly unknown[],
): Map<string, Held> {
  const held = new Map<string, Held>();
  for (const field of fields) {
    const given = [...sources.map((source) => own(source, field.name)), field.default];
    for (const value of given) {
      const text = toHeld(field, value);
      if (text !== undefined) {
        held.set(field.name, text);
        break;
      }
    }
  }
  return held;
}
