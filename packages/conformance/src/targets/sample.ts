import { asRecord, isRecord, type Json } from "../json.ts";

/** Arguments that a JSON Schema accepts, as far as its plain keywords tell: only required ones. */
export function sampleArguments(schema: unknown): Json {
  return asRecord(sampleOf(asRecord(schema), "", 0));
}

function sampleOf(schema: Json, name: string, depth: number): unknown {
  if ("const" in schema) return schema.const;
  if ("default" in schema) return schema.default;
  for (const key of ["enum", "examples"]) {
    if (Array.isArray(schema[key]) && schema[key].length > 0) return schema[key][0];
  }
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const [first] = Array.isArray(schema[key]) ? schema[key] : [];
    if (isRecord(first)) return sampleOf({ ...schema, [key]: undefined, ...first }, name, depth);
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object" || (type === undefined && isRecord(schema.properties))) {
    return sampleObject(schema, depth);
  }
  return sampleScalar(String(type), { schema, name, depth });
}

function sampleObject({ properties, required }: Json, depth: number): Json {
  const names: unknown[] = Array.isArray(required) && depth < 8 ? required : [];
  return Object.fromEntries(
    names.map((name) => [
      String(name),
      sampleOf(asRecord(asRecord(properties)[String(name)]), String(name), depth + 1),
    ]),
  );
}

function sampleScalar(
  type: string,
  { schema, name, depth }: { schema: Json; name: string; depth: number },
): unknown {
  switch (type) {
    case "number":
    case "integer":
      return sampleNumber(schema);
    case "boolean":
      return false;
    case "null":
      return null;
    case "array":
      return Array.from({ length: Math.min(Number(schema.minItems ?? 0), 20) }, () =>
        sampleOf(asRecord(schema.items), name, depth + 1),
      );
    default:
      return sampleText(schema, name);
  }
}

function sampleNumber({ minimum, exclusiveMinimum, maximum }: Json): number {
  if (typeof minimum === "number") return minimum;
  if (typeof exclusiveMinimum === "number") return exclusiveMinimum + 1;
  return typeof maximum === "number" ? Math.min(1, maximum) : 1;
}

const FORMATS: Record<string, string> = {
  uri: "https://example.com/",
  url: "https://example.com/",
  email: "someone@example.com",
  date: "2026-01-26",
  "date-time": "2026-01-26T12:00:00Z",
  time: "12:00:00Z",
  uuid: "00000000-0000-4000-8000-000000000000",
};

// Most schemas give a string no format, but a descriptive name.
const NAMED: readonly [RegExp, string][] = [
  [/ur[il]$/i, "https://example.com/"],
  [/city|place|location/i, "Berlin"],
  [/country/i, "Germany"],
  [/e-?mail/i, "someone@example.com"],
  [/date|day$/i, "2026-01-26"],
];

function sampleText({ format, minLength, maxLength }: Json, name: string): string {
  const named = NAMED.find(([pattern]) => pattern.test(name))?.[1];
  const text = FORMATS[String(format)] ?? named ?? "sample";
  const long = text.padEnd(Math.min(Number(minLength ?? 0), 1_000), "x");
  return typeof maxLength === "number" ? long.slice(0, maxLength) : long;
}
