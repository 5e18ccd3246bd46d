// Readers for values of a result. A Server may send anything, so nothing is taken at its word: what
// is not of the expected kind is absent.

/** True for an object that is neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Text of a string, number or boolean; else undefined. An empty string is absent, too. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value || undefined;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** The first of these properties that is text. */
export function firstText(record: Record<string, unknown>, keys: string[]): string | undefined {
  for (const key of keys) {
    // Own properties only: "constructor" isn't a field of a card.
    const text = Object.hasOwn(record, key) ? textOf(record[key]) : undefined;
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The list a result is about: itself, the list under one of these names, or its only list. */
export function listOf(data: unknown, keys: string[]): unknown[] | undefined {
  if (Array.isArray(data)) return data;
  if (!isRecord(data)) return undefined;
  for (const key of keys) {
    if (Object.hasOwn(data, key) && Array.isArray(data[key])) return data[key];
  }
  const lists = Object.values(data).filter(Array.isArray);
  return lists.length === 1 ? lists[0] : undefined;
}

/** At most so many characters, never half of one, and a sign that there were more. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/**
 * A name for use within one of our sentences. It loses characters that change the direction of writing,
 * and is isolated, so that it can't reorder the words around it.
 */
export function inSentence(text: string, length: number): string {
  return `\u2068${cutText(text.replace(/[\u202A-\u202E\u2066-\u2069]/g, ""), length)}\u2069`;
}
