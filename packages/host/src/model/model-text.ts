// Everything that a view can send to the model passes through here: context, messages, sampling, the
// tools it offers and their results. A user must be able to see all that the model reads, so code
// points without a glyph are removed everywhere. Joiners and variation selectors are among them:
// chains of those can carry whole sentences, and a model reads emoji and joined scripts without them.

import type { Implementation } from "@vitrine/protocol/apps";

// Default-ignorable code points, controls and format characters, separators that break lines in some
// programs only, lone surrogates, noncharacters and private use code points. Kept: tabs, line ends,
// and the format characters that are drawn (Arabic, Syriac and Kaithi number signs).
const hidden =
  /(?![\t\n\r\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{DI}\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{NChar}]/gu;

const plain = /^[\t\n\r\x20-\x7e]*$/;

const NAME = 200;

/** A JSON value whose strings and keys contain only visible characters. */
export function cleanText<T>(value: T): T {
  return clean(value, () => true) as T;
}

/**
 * A message or result as the model may read it: clean, and without the `_meta` of its parts, which
 * the user isn't shown. Its own `_meta` belongs to the protocol (progress, tasks) and stays.
 */
export function forModel<T>(value: T): T {
  const cleaned = clean(value, (key) => key !== "_meta");
  const { _meta } = Object(value) as { _meta?: unknown };
  return (_meta === undefined ? cleaned : { ...Object(cleaned), _meta: cleanText(_meta) }) as T;
}

/** Clean text of at most this many characters. */
export function cutText(text: string, length: number): string {
  const cleaned = cleanText(text);
  // Cleaned again, because the cut may halve a surrogate pair.
  return cleaned.length > length ? cleanText(cleaned.slice(0, length)) : cleaned;
}

/** A view's own description: its names and version, short, and nothing else it sent with them. */
export function appInfoForModel({ name, title, version }: Implementation): Implementation {
  return {
    name: cutText(name, NAME),
    ...(title !== undefined && { title: cutText(title, NAME) }),
    version: cutText(version, NAME),
  };
}

function clean(value: unknown, keeps: (key: string) => boolean): unknown {
  if (typeof value === "string") return cleanString(value);
  if (Array.isArray(value)) return value.map((item) => clean(item, keeps));
  if (typeof value !== "object" || value === null) return value;
  const entries: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    const name = cleanString(key);
    if (keeps(name)) entries.push([name, clean(item, keeps)]);
  }
  return Object.fromEntries(entries);
}

function cleanString(value: string): string {
  // Most keys and values are plain, and searching ten thousand of them would take too long.
  return plain.test(value) ? value : value.replace(hidden, "");
}
