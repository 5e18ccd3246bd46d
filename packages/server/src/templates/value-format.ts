import type { Option } from "./option.ts";

/** How a value is written; `auto` goes by the value, everything by the Host's locale. */
export type ValueFormat =
  | "auto"
  | "text"
  | "number"
  | "integer"
  /** 0.25 is 25 %. */
  | "percent"
  | "bytes"
  /** ISO 8601, or milliseconds. */
  | "date"
  | "datetime"
  | "boolean"
  /** With a code of ISO 4217: `currency:EUR`. */
  | `currency:${string}`;

const NAMES = [
  "auto",
  "text",
  "number",
  "integer",
  "percent",
  "bytes",
  "date",
  "datetime",
  "boolean",
] as const;

export function valueFormat(
  description: string,
): Option<ValueFormat> & { readonly isRequired?: false } {
  const currency = {
    type: "string" as const,
    pattern: "^currency:[A-Za-z]{3}$",
    examples: ["currency:EUR"],
  };
  return { schema: { anyOf: [{ enum: NAMES }, currency], description } };
}
