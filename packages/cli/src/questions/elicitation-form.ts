// The form of an elicitation, read from a server's schema. Everything in it is the server's text:
// it is bounded here, and shown as text.

import type { ElicitRequestFormParams } from "@modelcontextprotocol/client";
import type { FormField } from "./question.ts";

/** The answers to a form. */
export type FormContent = Record<string, string | number | boolean | string[]>;

const MOST_FIELDS = 50;
const MOST_OPTIONS = 500;
const LONGEST_LABEL = 200;
const LONGEST_HELP = 1000;
const LONGEST_ANSWER = 20_000;
const FORMATS: readonly unknown[] = ["email", "uri", "date", "date-time"];

/** Reads the schema; `undefined` if it asks for something that a form can't show. */
export function readForm(
  schema: ElicitRequestFormParams["requestedSchema"],
): FormField[] | undefined {
  const { properties, required } = Object(schema) as { properties?: unknown; required?: unknown };
  const entries = Object.entries(Object(properties) as Record<string, unknown>);
  if (entries.length > MOST_FIELDS) return undefined;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields = entries.map(([name, value]) => readField(name, Object(value), needed));
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

/** The answers that the form allows; `undefined` if something else was sent. */
export function readContent(fields: readonly FormField[], given: unknown): FormContent | undefined {
  const content: FormContent = {};
  for (const field of fields) {
    const value = (Object(given) as Record<string, unknown>)[field.name];
    if (value === undefined && !field.isRequired) continue;
    if (!isAnswer(field, value)) return undefined;
    content[field.name] = value;
  }
  return content;
}

function readField(
  name: string,
  property: Record<string, unknown>,
  required: readonly unknown[],
): FormField | undefined {
  const label = textOf(property.title, LONGEST_LABEL) ?? name.slice(0, LONGEST_LABEL);
  const help = textOf(property.description, LONGEST_HELP);
  const field: FormField = {
    name,
    label,
    ...(help !== undefined && { help }),
    isRequired: required.includes(name),
    kind: "text",
  };
  const { type } = property;
  if (type === "boolean") return withInitial({ ...field, kind: "yes-no" }, property);
  if (type === "number" || type === "integer")
    return withInitial(
      { ...field, kind: type, ...rangeOf(property, "minimum", "maximum") },
      property,
    );
  if (type === "array") {
    const options = optionsOf(Object(property.items) as Record<string, unknown>);
    return options && withInitial({ ...field, kind: "choices", options }, property);
  }
  if (type !== "string") return undefined;
  const options = optionsOf(property);
  if (options) return withInitial({ ...field, kind: "choice", options }, property);
  const format = FORMATS.includes(property.format) ? { format: property.format as "email" } : {};
  return withInitial(
    { ...field, ...format, ...rangeOf(property, "minLength", "maxLength") },
    property,
  );
}

function withInitial(field: FormField, { default: initial }: Record<string, unknown>): FormField {
  return isAnswer(field, initial) ? { ...field, initial } : field;
}

/** `enum` with or without names, `oneOf` or `anyOf` of constants. */
function optionsOf(property: Record<string, unknown>): FormField["options"] {
  const { enum: values, enumNames } = property;
  if (Array.isArray(values)) {
    const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
    return values.slice(0, MOST_OPTIONS).map((value, at) => ({
      value: String(value),
      label: textOf(names[at], LONGEST_LABEL) ?? String(value).slice(0, LONGEST_LABEL),
    }));
  }
  const variants = property.oneOf ?? property.anyOf;
  if (!Array.isArray(variants)) return undefined;
  return variants.slice(0, MOST_OPTIONS).map((variant: unknown) => {
    const { const: value, title } = Object(variant) as { const?: unknown; title?: unknown };
    return {
      value: String(value),
      label: textOf(title, LONGEST_LABEL) ?? String(value).slice(0, LONGEST_LABEL),
    };
  });
}

function rangeOf(
  property: Record<string, unknown>,
  least: string,
  most: string,
): Pick<FormField, "least" | "most"> {
  const [from, to] = [property[least], property[most]];
  return {
    ...(Number.isFinite(from) && { least: from as number }),
    ...(Number.isFinite(to) && { most: to as number }),
  };
}

function isAnswer(field: FormField, value: unknown): value is FormContent[string] {
  const isOption = (one: unknown): boolean =>
    field.options?.some((option) => option.value === one) ?? false;
  switch (field.kind) {
    case "yes-no":
      return typeof value === "boolean";
    case "number":
      return Number.isFinite(value);
    case "integer":
      return Number.isSafeInteger(value);
    case "choice":
      return isOption(value);
    case "choices":
      return Array.isArray(value) && value.length <= MOST_OPTIONS && value.every(isOption);
    default:
      return typeof value === "string" && value.length <= LONGEST_ANSWER;
  }
}

function textOf(value: unknown, longest: number): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.slice(0, longest) : undefined;
}
