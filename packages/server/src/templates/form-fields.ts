import {
  type JsonSchema,
  readSchema,
  type SchemaNode,
  type SchemaProperty,
} from "../json-schema.ts";
import {
  amount,
  anything,
  either,
  flag,
  list,
  type Option,
  object,
  oneOf,
  reference,
  required,
  text,
} from "./option.ts";

/** What a field asks for. */
export type FormFieldType = (typeof FIELD_TYPES)[number];

const FIELD_TYPES = [
  "text",
  "email",
  "password",
  "number",
  "textarea",
  "select",
  "radio",
  "checkbox",
  "date",
  /** Sent as `{ name, type, size, data }`, with `data` in base64. */
  "file",
  /** One item in each line; sent as an array of strings. */
  "lines",
  /** Fields that can be repeated; sent as an array of objects. */
  "group",
  /** Sent as the value that it says. */
  "json",
] as const;

/** One of the values that a field lets choose from. */
export type FormOption = string | number | boolean | { value: unknown; label: string };

/** A field of a form. */
export interface FormField {
  /** The argument of the tool that it fills. */
  name: string;
  /** `text` by default. */
  type?: FormFieldType;
  /** By default the name in words. */
  label?: string;
  /** A sentence below the field; a problem with the value replaces it. */
  help?: string;
  /** Whether it may stay empty; true for a checkbox means that it must be checked. */
  required?: boolean;
  placeholder?: string;
  /** What it holds at first; arguments of the tool call come before it. */
  default?: unknown;
  /** What a `select` or `radio` lets choose from. */
  options?: FormOption[];
  /** The least number, or the first day as `2026-01-31`. */
  min?: number | string;
  /** The greatest number, or the last day. */
  max?: number | string;
  /** The step between numbers: 1 for whole ones; any by default. */
  step?: number;
  minLength?: number;
  maxLength?: number;
  /** A regular expression that the whole text must match. */
  pattern?: string;
  /** The message for a text that doesn't match. */
  patternMessage?: string;
  /** The kinds of files to choose from, as `image/*,.pdf`. */
  accept?: string;
  /** The largest file in bytes; 1,000,000 by default. */
  maxBytes?: number;
  /** The fields of a `group`. */
  fields?: FormField[];
  /** The least number of entries of a `group`; 0 by default, 1 if it is required. */
  minItems?: number;
  /** The greatest number of entries of a `group`; 50 by default. */
  maxItems?: number;
  /** What one entry of a `group` is called; "Entry" by default. */
  itemLabel?: string;
}

export const FORM_FIELD: Option<FormField> = object<FormField>(
  {
    name: required(text("The argument of the tool that it fills.")),
    type: oneOf(FIELD_TYPES, "What it asks for; text by default."),
    label: text("By default the name in words."),
    help: text("A sentence below the field; a problem with the value replaces it."),
    required: flag("Whether it must be filled in; a checkbox must then be checked."),
    placeholder: text("Text in the empty field."),
    default: anything("What it holds at first; arguments of the tool call come before it."),
    options: list(
      either(
        text("A text."),
        either(
          amount("A number."),
          either(
            flag("A truth value."),
            object<Exclude<FormOption, string | number | boolean>>(
              {
                value: required(anything("What the tool gets.")),
                label: required(text("What people read.")),
              },
              "A value with its label.",
            ),
            "A truth value or a value with its label.",
          ),
          "Another value.",
        ),
        "One value.",
      ),
      "What a select or radio lets choose from.",
    ),
    min: either(amount("The least number."), text("The first day."), "The lower limit."),
    max: either(amount("The greatest number."), text("The last day."), "The upper limit."),
    step: amount("The step between numbers: 1 for whole ones; any by default."),
    minLength: amount("Characters at least."),
    maxLength: amount("Characters at most."),
    pattern: text("A regular expression that the whole text must match."),
    patternMessage: text("The message for a text that doesn't match."),
    accept: text("The kinds of files to choose from, as image/*,.pdf."),
    maxBytes: amount("The largest file in bytes; 1,000,000 by default.", { minimum: 1 }),
    fields: list(reference<FormField>("field"), "The fields of a group."),
    minItems: amount("The least number of entries of a group.", { minimum: 0 }),
    maxItems: amount("The greatest number of entries of a group; 50 by default.", { minimum: 1 }),
    itemLabel: text('What one entry of a group is called; "Entry" by default.'),
  },
  "A field.",
);

/** A text that may be longer than this gets a field with several lines. */
const LONG = 200;

/** Fields for the properties of a JSON Schema, such as the input schema of the tool to submit to. */
export function fieldsFrom(schema: JsonSchema): FormField[] {
  return readSchema(schema).properties().map(fieldOf);
}

function fieldOf({ name, label, required, node }: SchemaProperty): FormField {
  const { description, schema } = node;
  const kind = kindOf(node);
  const isCheckbox = kind.type === "checkbox";
  return {
    name,
    label,
    ...kind,
    ...(description !== undefined && { help: description }),
    // A checkbox is always answered; that it must be checked is nothing a schema says.
    ...(required && !isCheckbox && { required }),
    ...(Object.hasOwn(schema, "default") && { default: schema.default }),
  };
}

function kindOf(node: SchemaNode): Partial<FormField> {
  const { type, choices, schema } = node;
  if (type === "boolean") return { type: "checkbox" };
  if (choices) return { type: "select", options: choices.map((choice) => ({ ...choice })) };
  if (type === "integer") return { type: "number", step: 1, ...numbersOf(schema) };
  if (type === "number") return { type: "number", ...numbersOf(schema) };
  if (type === "string") return { type: textType(node), ...lengthsOf(schema) };
  if (type === "array" && node.items()?.type === "string") return { type: "lines" };
  return { type: "json" };
}

function textType({ format, schema }: SchemaNode): FormFieldType {
  if (format === "email" || format === "date" || format === "password") return format;
  if (schema.writeOnly === true) return "password";
  const isLong = typeof schema.maxLength === "number" && schema.maxLength > LONG;
  return isLong || format === "multiline" ? "textarea" : "text";
}

function numbersOf({ minimum, maximum, multipleOf }: JsonSchema): Partial<FormField> {
  return {
    ...(typeof minimum === "number" && { min: minimum }),
    ...(typeof maximum === "number" && { max: maximum }),
    ...(typeof multipleOf === "number" && { step: multipleOf }),
  };
}

function lengthsOf({ minLength, maxLength, pattern }: JsonSchema): Partial<FormField> {
  return {
    ...(typeof minLength === "number" && { minLength }),
    ...(typeof maxLength === "number" && { maxLength }),
    // A schema's pattern may match anywhere, a field's must match all.
    ...(typeof pattern === "string" && { pattern: `.*(?:${pattern}).*` }),
  };
}
