// What a form needs of JSON Schema: references and `allOf` are resolved, and null is left out.

export type Schema = Record<string, unknown>;

// A reference may lead to another one, and around in a circle.
const STEPS = 10;

/** An object, which a schema must be here. */
export function schemaOf(value: unknown): Schema | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Schema)
    : undefined;
}

/** The schema itself, with its references, its `allOf` and its null resolved. */
export function plainSchema(schema: Schema, root: Schema): Schema {
  return withoutNull(withAll(resolved(schema, root), root), root);
}

/** Follows `$ref` inside the same document; others are unknown. */
function resolved(schema: Schema, root: Schema): Schema {
  let current = schema;
  for (let step = 0; step < STEPS && typeof current.$ref === "string"; step++) {
    const { $ref, ...rest } = current;
    const found = targetOf($ref as string, root);
    if (!found) return rest;
    // What stands next to a reference is more special.
    current = { ...found, ...rest };
  }
  const { $ref: _, ...plain } = current;
  return plain;
}

function targetOf(reference: string, root: Schema): Schema | undefined {
  if (!reference.startsWith("#")) return undefined;
  let at: unknown = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const object = schemaOf(at);
    at = object && Object.hasOwn(object, name) ? object[name] : undefined;
  }
  return schemaOf(at);
}

/** All members of `allOf` in one schema, as far as they are plain. */
function withAll(schema: Schema, root: Schema): Schema {
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return schema;
  const members = [...allOf.slice(0, STEPS).map((member) => schemaOf(member) ?? {}), own];
  let merged: Schema = {};
  for (const member of members) {
    const { allOf: _, ...plain } = resolved(member, root);
    const properties = { ...schemaOf(merged.properties), ...schemaOf(plain.properties) };
    const required = [merged.required, plain.required].filter(Array.isArray).flat();
    merged = {
      ...merged,
      ...plain,
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
    };
  }
  return merged;
}

/** Python's way to write optional, `anyOf: [X, null]` or `type: [X, "null"]`, means X. */
function withoutNull(schema: Schema, root: Schema): Schema {
  const { type, anyOf } = schema;
  if (Array.isArray(type)) {
    const rest = type.filter((name) => name !== "null");
    return rest.length === 1 ? { ...schema, type: rest[0] } : { ...schema, type: undefined };
  }
  if (!Array.isArray(anyOf)) return schema;
  const rest = anyOf.filter((member) => schemaOf(member)?.type !== "null");
  if (rest.length !== 1) return { ...schema, anyOf: rest };
  return { ...resolved(schemaOf(rest[0]) ?? {}, root), ...schema, anyOf: undefined };
}
