// Between what a tool takes and what a field of a page holds, which is text or a tick.

import type { FormField, FormOption } from "../../src/templates/form-fields.ts";
import { isRecord, own, toText } from "../shell/shell.tsx";

/** What a field holds. */
export type Held = string | boolean;

/** What a field shows for a value; `undefined` where the value is none. */
export function toHeld({ type, options }: FormField, value: unknown): Held | undefined {
  if (value === undefined || value === null) return undefined;
  if (type === "checkbox") return value === true || value === "true";
  if (type === "select") return heldOption(options, value);
  if (type === "json") return typeof value === "string" ? value : JSON.stringify(value, null, 2);
  if (type === "lines" && Array.isArray(value)) return value.map((item) => toText(item)).join("\n");
  return toText(value);
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
export function toValue({ type, options = [] }: FormField, held: Held | undefined): unknown {
  if (type === "checkbox") return held === true;
  const text = typeof held === "string" ? held : "";
  if (text === "") return undefined;
  switch (type) {
    case "number":
      return Number(text);
    case "select":
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
