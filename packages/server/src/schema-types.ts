// What a schema says to the compiler, by its shape: zod, Valibot, ArkType and the shapes of the
// official SDK, none of which is imported.

/** A Standard Schema, as far as its types go. */
export interface TypedSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The older form `{ field: z.string() }`, which the SDK wraps into an object. */
export type RawShape = { readonly [field: string]: TypedSchema };

/** What a tool may give as its schema. */
export type AnySchema = TypedSchema | RawShape;

type Types<S extends TypedSchema> = NonNullable<S["~standard"]["types"]>;
// Fields that may be absent are optional in an object, as zod has it.
type Optional<T> = { [K in keyof T as undefined extends T[K] ? K : never]?: T[K] } & {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
};
type Simplify<T> = { [K in keyof T]: T[K] } & {};

/** What a client may send. */
export type InputOf<S> = S extends TypedSchema
  ? Types<S>["input"]
  : S extends RawShape
    ? Simplify<Optional<{ -readonly [K in keyof S]: Types<S[K]>["input"] }>>
    : Record<string, unknown>;

/** What a handler gets, after defaults and transforms. */
export type OutputOf<S> = S extends TypedSchema
  ? Types<S>["output"]
  : S extends RawShape
    ? Simplify<Optional<{ -readonly [K in keyof S]: Types<S[K]>["output"] }>>
    : Record<string, unknown>;
