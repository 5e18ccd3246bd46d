import type { FormField } from "../../src/templates/form-fields.ts";
import type { Shell } from "../shell/shell.tsx";

export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * The error message for a field; empty if it is valid. The browser validates and provides the message
 * in the user's language; we add the checks that it doesn't have.
 */
export function problemOf(field: FormField, control: Control, label: Shell["label"]): string {
  control.setCustomValidity("");
  if (!control.validity.valid) {
    const { patternMismatch } = control.validity;
    return (patternMismatch && field.patternMessage) || control.validationMessage;
  }
  if (field.type === "file") return tooLarge(field, control, label);
  const { value } = control;
  if (value === "") return "";
  const { minLength, type } = field;
  // Of text that nobody typed the browser does not count the characters.
  if (minLength !== undefined && value.length < minLength) {
    return label("tooShort", { count: minLength });
  }
  if (type === "json" && !isJson(value)) return label("notJson");
  if (type === "textarea" && field.pattern !== undefined && !matches(field.pattern, value)) {
    return field.patternMessage ?? label("notMatching");
  }
  return "";
}

const LARGEST_FILE = 1_000_000;

function tooLarge(field: FormField, control: Control, label: Shell["label"]): string {
  const [file] = (control as HTMLInputElement).files ?? [];
  const { maxBytes = LARGEST_FILE } = field;
  if (!file || file.size <= maxBytes) return "";
  return label("tooLarge", { size: bytes(file.size), limit: bytes(maxBytes) });
}

function bytes(count: number): string {
  return count < 1_000_000
    ? `${Math.ceil(count / 1000)} KB`
    : `${(count / 1_000_000).toFixed(1)} MB`;
}

/** A group needs a least number of entries, one if it's required. */
export function groupProblem(field: FormField, count: number, label: Shell["label"]): string {
  const { minItems = field.required === true ? 1 : 0 } = field;
  return count < minItems ? label("tooFew", { count: minItems }) : "";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** As the browser does it for single lines: a pattern that is none forbids nothing. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`, "us").test(text);
  } catch {
    return true;
  }
}
