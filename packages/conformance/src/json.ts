// Data from the wire has no known shape.

// biome-ignore lint/suspicious/noExplicitAny: an untrusted object, read key by key.
export type Json = Record<string, any>;

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, otherwise an empty one. */
export function asRecord(value: unknown): Json {
  return isRecord(value) ? value : {};
}

/** A value as short text, for a note. */
export function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
