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

/** An untrusted value as short printable text. */
export function brief(value: unknown, longest = 80): string {
  const text = (JSON.stringify(value) ?? String(value)).replace(/[\p{C}\u2028\u2029]/gu, " ");
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** Untrusted text on one line, without terminal control characters. */
export function oneLine(text: string, longest = 300): string {
  const line = text.replace(/[\p{C}\p{Z}\u2028\u2029]+/gu, " ").trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
