// Names of tools and servers appear in the host's own bar, next to its buttons. A name must not look
// like a part of the host: a badge, a second line, or text that runs the other way (S45). Removes
// characters that are invisible or reorder the text, and symbols, which could imitate badges and
// buttons.
const UNWANTED = /[\p{C}\p{DI}\p{So}\p{Emoji_Modifier}\u2800\u221a]/gu;
const MARKS = /(\p{M}{4})\p{M}+/gu;
// The bar quotes a title, so a title must not end the quotation.
const QUOTES = /[\p{Pi}\p{Pf}"\u201a\u201e\u2e42\u301d-\u301f\uff02]/gu;
const LONGEST = 80;

/** A name as one line of plain text; `fallback` if nothing is left of it. */
export function plainName(name: string, fallback = ""): string {
  // Far more than is shown, and little enough to be fast.
  const plain = name
    .slice(0, 1000)
    .replace(/\s+/gu, " ")
    .replace(UNWANTED, "")
    .replace(MARKS, "$1")
    .replace(QUOTES, "'")
    .replace(/ {2,}/g, " ")
    .trim();
  const characters = [...plain];
  if (characters.length > LONGEST) return `${characters.slice(0, LONGEST).join("")}…`;
  return plain || fallback;
}

/** How a server is shown to users. Its identity stays `upstream.server`. */
export interface ServerDisplay {
  /** Your name for it, not one that the server chose for itself: users decide by it. */
  name?: string | undefined;
  /** The address of an image, which starts with `https:` or `data:image/`. */
  icon?: string | undefined;
}

/** Describes a server by its identity; returns nothing for a server it doesn't know. */
export type DescribeServer = (server: string) => ServerDisplay | undefined;
