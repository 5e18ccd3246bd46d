// A tool's input schema as a form: its fields, their initial values, and validation errors. A schema
// can be anything; parts that can't be a field are edited as JSON.

type Schema = Record<string, unknown>;

/** One field. */
export interface FormField {
  name: string;
  label: string;
  description?: string | undefined;
  required: boolean;
  kind: "string" | "text" | "number" | "integer" | "boolean" | "enum" | "json";
  /** The values of an enumeration, as JSON. */
  options?: readonly unknown[] | undefined;
  /** Minimum and maximum; lengths for strings. */
  minimum?: number | undefined;
  maximum?: number | undefined;
  pattern?: string | undefined;
  default?: unknown;
  /** For JSON: its required type. */
  shape?: "array" | "object" | undefined;
}

/** The user's input by field name; a field without an entry is left out. */
export type FormValues = Record<string, string | boolean | undefined>;

/** The form's value. */
export interface FormReading {
  arguments: Record<string, unknown>;
  /** By field name. */
  errors: Record<string, string>;
}

const LONG = /text|body|content|query|prompt|code|html|markdown|message|description/i;

/** The fields of a schema; nothing if it must be written as JSON. */
export function fieldsOf(schema: unknown): FormField[] | undefined {
  const { type, properties, required } = objectOf(schema) ?? {};
  if (type !== undefined && type !== "object") return undefined;
  const list = objectOf(properties);
  if (!list) return objectOf(schema)?.anyOf || objectOf(schema)?.oneOf ? undefined : [];
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(list).map(([name, property]) =>
    fieldOf(name, objectOf(property) ?? {}, needed.has(name)),
  );
}

function fieldOf(name: string, property: Schema, required: boolean): FormField {
  const schema = withoutNull(property);
  const { title, description, pattern } = schema;
  const size = schema.type === "string" ? ["minLength", "maxLength"] : ["minimum", "maximum"];
  const [minimum, maximum] = size.map((key) => numberOf(schema[key]));
  return {
    name,
    label: typeof title === "string" && title ? title : name,
    description: typeof description === "string" ? description : undefined,
    required,
    ...kindOf(name, schema),
    minimum,
    maximum,
    pattern: typeof pattern === "string" ? pattern : undefined,
    default: property.default ?? schema.default,
  };
}

function kindOf(name: string, schema: Schema): Pick<FormField, "kind" | "options" | "shape"> {
  const options = Array.isArray(schema.enum) ? schema.enum : constantsOf(schema);
  if (options) return { kind: "enum", options };
  switch (schema.type) {
    case "string":
      return { kind: mayHaveLines(name, schema) ? "text" : "string" };
    case "number":
    case "integer":
    case "boolean":
      return { kind: schema.type };
    case "array":
    case "object":
      return { kind: "json", shape: schema.type };
    default:
      return { kind: "json" };
  }
}

/** The values of `oneOf` or `anyOf` whose members are constants. */
function constantsOf(schema: Schema): unknown[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  const members = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(members) || members.length === 0) return undefined;
  const values = members.map((member) => objectOf(member)?.const);
  return values.every((value) => value !== undefined) ? values : undefined;
}

/** Python's way to write optional, `anyOf: [X, null]` or `type: [X, "null"]`, means X. */
function withoutNull(schema: Schema): Schema {
  const { type, anyOf } = schema;
  if (Array.isArray(type)) {
    const rest = type.filter((name) => name !== "null");
    return rest.length === 1 ? { ...schema, type: rest[0] } : { ...schema, type: undefined };
  }
  if (!Array.isArray(anyOf)) return schema;
  const rest = anyOf.filter((member) => objectOf(member)?.type !== "null");
  return rest.length === 1 ? { ...objectOf(rest[0]), ...schema, anyOf: undefined } : schema;
}

/** Initial values: defaults, and the smallest valid value for required fields without one. */
export function initialValues(fields: readonly FormField[]): FormValues {
  return Object.fromEntries(fields.map((field) => [field.name, initialValue(field)]));
}

function initialValue({
  kind,
  default: given,
  required,
  options,
  shape,
}: FormField): string | boolean | undefined {
  if (kind === "boolean") return typeof given === "boolean" ? given : required ? false : undefined;
  if (given !== undefined && given !== null) return textOf(given, kind);
  if (!required) return undefined;
  if (kind === "enum") return textOf(options?.[0], kind);
  return shape === "array" ? "[]" : shape === "object" ? "{}" : undefined;
}

/** A value as it is typed into a field. */
export function textOf(value: unknown, kind: FormField["kind"]): string {
  if (kind === "string" || kind === "text")
    return typeof value === "string" ? value : JSON.stringify(value);
  return kind === "json" ? JSON.stringify(value, null, 2) : (JSON.stringify(value) ?? "");
}

/** The form's value, and its validation errors. */
export function readForm(fields: readonly FormField[], values: FormValues): FormReading {
  const reading: FormReading = { arguments: {}, errors: {} };
  for (const field of fields) {
    const typed = values[field.name];
    if (
      typed === undefined ||
      (typed === "" && field.kind !== "string" && field.kind !== "text") ||
      (typed === "" && !field.required)
    ) {
      if (field.required) reading.errors[field.name] = "This field is required.";
      continue;
    }
    const [value, error] = readValue(field, typed);
    if (error === undefined) reading.arguments[field.name] = value;
    else reading.errors[field.name] = error;
  }
  return reading;
}

function readValue(
  field: FormField,
  typed: string | boolean,
): [value: unknown, error?: string | undefined] {
  if (typeof typed === "boolean") return [typed];
  switch (field.kind) {
    case "number":
    case "integer":
      return readNumber(field, typed);
    case "enum": {
      const option = field.options?.find((value) => JSON.stringify(value) === typed);
      return option === undefined ? [undefined, "Choose one of the values."] : [option];
    }
    case "json":
      return readJson(field, typed);
    default:
      return [typed, textError(field, typed)];
  }
}

function readNumber(
  { kind, minimum, maximum }: FormField,
  typed: string,
): [unknown, (string | undefined)?] {
  const value = Number(typed);
  if (!Number.isFinite(value)) return [undefined, `"${typed}" is not a number.`];
  if (kind === "integer" && !Number.isInteger(value)) return [undefined, "Enter a whole number."];
  if (minimum !== undefined && value < minimum) return [undefined, `At least ${minimum}.`];
  if (maximum !== undefined && value > maximum) return [undefined, `At most ${maximum}.`];
  return [value];
}

function readJson({ shape }: FormField, typed: string): [unknown, (string | undefined)?] {
  let value: unknown;
  try {
    value = JSON.parse(typed);
  } catch (error) {
    return [undefined, `Invalid JSON: ${(error as Error).message}.`];
  }
  if (shape === "array" && !Array.isArray(value)) return [undefined, "Enter a list: [ … ]."];
  if (shape === "object" && !objectOf(value)) return [undefined, "Enter an object: { … }."];
  return [value];
}

function textError({ minimum, maximum, pattern }: FormField, typed: string): string | undefined {
  if (minimum !== undefined && typed.length < minimum) return `At least ${minimum} characters.`;
  if (maximum !== undefined && typed.length > maximum) return `At most ${maximum} characters.`;
  return pattern !== undefined && !matches(pattern, typed) ? `Must match ${pattern}.` : undefined;
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    // A pattern that this browser doesn't support: the server will check it.
    return true;
  }
}

function objectOf(value: unknown): Schema | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Schema)
    : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** By its name, or because its value has several lines, which an input of one line would lose. */
function mayHaveLines(name: string, { default: usual, format, maxLength }: Schema): boolean {
  if (typeof usual === "string" && usual.includes("\n")) return true;
  return LONG.test(name) && !format && !maxLength;
}
