// The types of a schema, by its shape: zod, Valibot, ArkType and the shapes of the official SDK, none
// of which is imported.

/** The types of a Standard Schema. */
export interface TypedSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The older form `{ field: z.string() }`, which the SDK wraps into an object. */
export type RawShape = { readonly [field: string]: TypedSchema };

/** The schemas that a tool accepts. */
export type AnySchema = TypedSchema | RawShape;

type Types<S extends TypedSchema> = NonNullable<S["~standard"]["types"]>;
// Fields that may be absent are optional in an object, as in zod.
type Optional<T> = { [K in keyof T as undefined extends T[K] ? K : never]?: T[K] } & {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
};
type Simplify<T> = { [K in keyof T]: T[K] } & {};

/** A client's input. */
export type InputOf<S> = S extends TypedSchema
  ? Types<S>["input"]
  : S extends RawShape
    ? Simplify<Optional<{ -readonly [K in keyof S]: Types<S[K]>["input"] }>>
    : Record<string, unknown>;

/** A handler's input, after defaults and transforms. */
export type OutputOf<S> = S extends TypedSchema
  ? Types<S>["output"]
  : S extends RawShape
    ? Simplify<Optional<{ -readonly [K in keyof S]: Types<S[K]>["output"] }>>
    : Record<string, unknown>;
