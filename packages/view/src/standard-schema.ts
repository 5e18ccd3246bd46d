import { INVALID_PARAMS, RpcError } from "@vitrine/protocol";

/** The Standard Schema interface that zod, Valibot, ArkType and others implement, by its shape. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<SchemaIssue> };

interface SchemaIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/** What a schema's validation yields. */
export type InferOutput<S extends StandardSchemaV1> = NonNullable<
  S["~standard"]["types"]
>["output"];

/** Validates; throws invalid params with each issue. */
export async function validateStandardSchema<S extends StandardSchemaV1>(
  schema: S,
  value: unknown,
): Promise<InferOutput<S>> {
  const result = await schema["~standard"].validate(value);
  // As JSON: models and developers read it, and paths stay unambiguous.
  if (result.issues) throw new RpcError(INVALID_PARAMS, JSON.stringify(result.issues));
  return result.value as InferOutput<S>;
}

/** The schema as JSON Schema, for the Host and its model (VEW-21), if its library provides it. */
export function standardSchemaToJsonSchema(
  schema: StandardSchemaV1 | undefined,
  io: "input" | "output",
): Record<string, unknown> | undefined {
  const standard = schema?.["~standard"] as { jsonSchema?: JsonSchemaSource } | undefined;
  return standard?.jsonSchema?.[io]({ target: "draft-2020-12" });
}

type JsonSchemaSource = Record<"input" | "output", (options: object) => Record<string, unknown>>;
