// What a person does not see and a model or a terminal obeys: control and format characters, the "tag"
// copies of ASCII among them. Tabs, line ends and joiners stay, which text, emoji and scripts need, and
// the few format characters that are seen.
const hidden =
  /(?!\u200c|\u200d|[\t\n\r\u0600-\u0605\u06dd\u070f\u08e2])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A JSON value whose strings show all there is to them. */
export function plainText<T>(value: T): T {
  return plain(value) as T;
}

function plain(value: unknown): unknown {
  if (typeof value === "string") return value.replace(hidden, "");
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [plain(key), plain(item)]));
}
