// A tool's input schema as a form: which fields there are, what stands in them at first, and what is wrong
// with what was typed. A schema may say anything; what cannot be a field is edited as JSON.

type Schema = Record<string, unknown>;

/** One field. */
export interface FormField {
  name: string;
  label: string;
  description?: string | undefined;
  required: boolean;
  kind: "string" | "text" | "number" | "integer" | "boolean" | "enum" | "json";
  /** Of an enumeration, as JSON values. */
  options?: readonly unknown[] | undefined;
  /** What the value may not fall below or exceed; lengths for strings. */
  minimum?: number | undefined;
  maximum?: number | undefined;
  pattern?: string | undefined;
  default?: unknown;
  /** For JSON: what it has to be. */
  shape?: "array" | "object" | undefined;
}

/** What a person typed, by the field's name; nothing is a field that is left out. */
export type FormValues = Record<string, string | boolean | undefined>;

/** What a form gives. */
export interface FormReading {
  arguments: Record<string, unknown>;
  /** By the field's name. */
  errors: Record<string, string>;
}

const LONG = /text|body|content|query|prompt|code|html|markdown|message|description/i;

/** The fields of a schema; nothing if it has to be written as JSON altogether. */
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

/** Optional in Python's way, `anyOf: [X, null]` or `type: [X, "null"]`, is X. */
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

/** What stands in a form at first: defaults, and for what is required and has none the least there is. */
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

/** What the form says, and what is wrong with it. */
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
  if (!Number.isFinite(value)) return [undefined, `"${typed}" is no number.`];
  if (kind === "integer" && !Number.isInteger(value))
    return [undefined, "A whole number is needed."];
  if (minimum !== undefined && value < minimum) return [undefined, `At least ${minimum}.`];
  if (maximum !== undefined && value > maximum) return [undefined, `At most ${maximum}.`];
  return [value];
}

function readJson({ shape }: FormField, typed: string): [unknown, (string | undefined)?] {
  let value: unknown;
  try {
    value = JSON.parse(typed);
  } catch (error) {
    return [undefined, `No JSON: ${(error as Error).message}.`];
  }
  if (shape === "array" && !Array.isArray(value)) return [undefined, "A list is needed: [ … ]."];
  if (shape === "object" && !objectOf(value)) return [undefined, "An object is needed: { … }."];
  return [value];
}

function textError({ minimum, maximum, pattern }: FormField, typed: string): string | undefined {
  if (minimum !== undefined && typed.length < minimum) return `At least ${minimum} characters.`;
  if (maximum !== undefined && typed.length > maximum) return `At most ${maximum} characters.`;
  return pattern !== undefined && !matches(pattern, typed)
    ? `It has to match ${pattern}.`
    : undefined;
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    // Not an expression that this browser knows: the server will say.
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

/** By its name, or because what it is by itself has lines: a field of one line would lose them. */
function mayHaveLines(name: string, { default: usual, format, maxLength }: Schema): boolean {
  if (typeof usual === "string" && usual.includes("\n")) return true;
  return LONG.test(name) && !format && !maxLength;
}
