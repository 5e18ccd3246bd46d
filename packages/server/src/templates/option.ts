// Options of templates and blocks: one description that is a TypeScript type and a JSON Schema at once.
// tsc rejects a description whose type isn't the type of the option, so the two can't drift apart.

/** The part of JSON Schema that options use. */
export interface OptionSchema {
  readonly $ref?: string;
  readonly type?: "string" | "number" | "integer" | "boolean" | "array" | "object";
  readonly description?: string;
  readonly const?: string;
  readonly enum?: readonly (string | number)[];
  readonly anyOf?: readonly OptionSchema[];
  readonly items?: OptionSchema;
  readonly properties?: Readonly<Record<string, OptionSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | OptionSchema;
  readonly pattern?: string;
  readonly format?: string;
  readonly examples?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** An option whose values are of type `T`, neither more nor less. */
export interface Option<T> {
  readonly schema: OptionSchema;
  readonly isRequired?: boolean;
  /** Only for the compiler: it makes `Option<"a">` and `Option<string>` incompatible. */
  readonly is?: (value: T) => T;
}

/** An option that can't be left out. */
export interface RequiredOption<T> extends Option<T> {
  readonly isRequired: true;
}

/** One description for each property of `T`; `required(…)` for those that `T` requires. */
export type Options<T> = {
  readonly [Key in keyof T]-?: Record<never, never> extends Pick<T, Key>
    ? Option<Exclude<T[Key], undefined>> & { readonly isRequired?: false }
    : RequiredOption<T[Key]>;
};

type Plain<T> = Option<T> & { readonly isRequired?: false };

export function text(description: string): Plain<string> {
  return { schema: { type: "string", description } };
}

/** The name of a tool. A document that arrives at run time may only name the tools of its page. */
export function tool(description: string): Plain<string> {
  return { schema: { type: "string", format: "tool", description } };
}

/** An address that a click may open. */
export function link(description: string): Plain<string> {
  const schema = { pattern: "^(https://|mailto:)", examples: ["https://example.com"] };
  return { schema: { type: "string", ...schema, description } };
}

export function flag(description: string): Plain<boolean> {
  return { schema: { type: "boolean", description } };
}

export function amount(
  description: string,
  limits: Pick<OptionSchema, "minimum" | "maximum"> & { isWhole?: boolean } = {},
): Plain<number> {
  const { isWhole = false, ...rest } = limits;
  return { schema: { type: isWhole ? "integer" : "number", ...rest, description } };
}

export function oneOf<const Value extends string | number>(
  values: readonly Value[],
  description: string,
): Plain<Value> {
  return { schema: { enum: values, description } };
}

/** Exactly this text: the `type` of a block. */
export function constant<const Value extends string>(value: Value): RequiredOption<Value> {
  return { schema: { const: value }, isRequired: true };
}

export function list<Item>(item: Option<Item>, description: string): Plain<Item[]> {
  return { schema: { type: "array", items: item.schema, description } };
}

export function either<One, Other>(
  one: Option<One>,
  other: Option<Other>,
  description: string,
): Plain<One | Other> {
  return { schema: { anyOf: [one.schema, other.schema], description } };
}

/** An object of these properties and no others. */
export function object<T>(options: Options<T>, description: string): Plain<T> {
  return { schema: { ...objectSchema(options), description } };
}

/** An object with any keys. */
export function record<Value>(
  value: Option<Value>,
  description: string,
): Plain<{
  [key: string]: Value;
}> {
  return { schema: { type: "object", additionalProperties: value.schema, description } };
}

export function anything(description: string): Plain<unknown> {
  return { schema: { description } };
}

/** A definition of the same document, for options that contain themselves. */
export function reference<T>(name: string): Plain<T> {
  return { schema: { $ref: `#/$defs/${name}` } };
}

export function required<T>(option: Option<T>): RequiredOption<T> {
  return { ...option, isRequired: true };
}

/** The schema of an object with these options. */
export function objectSchema(
  options: Readonly<Record<string, Option<never>>> | object,
): OptionSchema {
  const all = Object.entries(options as Record<string, Option<unknown>>);
  const needed = all.filter(([, option]) => option.isRequired).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(all.map(([name, { schema }]) => [name, schema])),
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  };
}
