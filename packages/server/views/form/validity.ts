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
