import { asRecord, isRecord, type Json } from "../json.ts";

/** Arguments that a JSON Schema takes, as far as its plain keywords tell: what is required, no more. */
export function sampleArguments(schema: unknown): Json {
  return asRecord(sampleOf(asRecord(schema), 0));
}

function sampleOf(schema: Json, depth: number): unknown {
  if ("const" in schema) return schema.const;
  if ("default" in schema) return schema.default;
  for (const key of ["enum", "examples"]) {
    if (Array.isArray(schema[key]) && schema[key].length > 0) return schema[key][0];
  }
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const [first] = Array.isArray(schema[key]) ? schema[key] : [];
    if (isRecord(first)) return sampleOf({ ...schema, [key]: undefined, ...first }, depth);
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object" || (type === undefined && isRecord(schema.properties))) {
    return sampleObject(schema, depth);
  }
  return sampleScalar(String(type), schema, depth);
}

function sampleObject({ properties, required }: Json, depth: number): Json {
  const names: unknown[] = Array.isArray(required) && depth < 8 ? required : [];
  return Object.fromEntries(
    names.map((name) => [
      String(name),
      sampleOf(asRecord(asRecord(properties)[String(name)]), depth + 1),
    ]),
  );
}

function sampleScalar(type: string, schema: Json, depth: number): unknown {
  switch (type) {
    case "number":
    case "integer":
      return typeof schema.minimum === "number" ? schema.minimum : 1;
    case "boolean":
      return false;
    case "null":
      return null;
    case "array":
      return Array.from({ length: Number(schema.minItems ?? 0) }, () =>
        sampleOf(asRecord(schema.items), depth + 1),
      );
    default:
      return sampleText(schema);
  }
}

const FORMATS: Record<string, string> = {
  uri: "https://example.com/",
  email: "someone@example.com",
  date: "2026-01-26",
  "date-time": "2026-01-26T12:00:00Z",
};

function sampleText({ format, minLength }: Json): string {
  return FORMATS[String(format)] ?? "sample".padEnd(Number(minLength ?? 0), "x");
}
