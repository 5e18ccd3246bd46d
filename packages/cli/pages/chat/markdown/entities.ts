// Character references of HTML that models write in Markdown. Others stay as they are.

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  hellip: "…",
  ndash: "–",
  mdash: "—",
  copy: "©",
  rarr: "→",
};

/** Replaces references by their characters. The result is text, and is never read as HTML. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (all, ten, hex, name) => {
    if (name !== undefined) return NAMED[name] ?? all;
    const code = ten === undefined ? Number.parseInt(hex, 16) : Number(ten);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}
