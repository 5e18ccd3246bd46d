// A View chooses the words that a user decides by. As text nodes they cannot become HTML; here they
// lose what could reorder, hide or push away a part of them.

const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800]/gu;
// Joiners and emoji selectors: scripts and emoji need them, but never after ASCII, where they only
// make two names look alike.
const JOINERS = "\u200c\u200d\ufe0e\ufe0f";
// Enough of them would push the rest out of sight.
const BLANKS = /[^\S\n]{40,}|\n(?:[^\S\n]*\n){4,}/gu;
const MARKS = /(\p{M}{4})\p{M}+/gu;

/** Longest text that is shown; laying out more would freeze the page that protects the user. */
const LONGEST = 50_000;
const LONGEST_NAME = 200;

/** One line: a name, a title. */
export function showName(text: string): string {
  const name = reveal(text, "");
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}… (${name.length})` : name;
}

/** Many lines, and how many characters were left out. */
export function showText(text: string): { text: string; cut: number } {
  const cut = Math.max(0, text.length - LONGEST);
  return { text: reveal(text.slice(0, LONGEST), "\n\t"), cut };
}

/** Any JSON value. */
export function showJson(value: unknown): { text: string; cut: number } {
  return showText(JSON.stringify(value, null, 2) ?? String(value));
}

function reveal(text: string, kept: string): string {
  return text
    .replace(HIDDEN, (letter, at: number) => {
      if (kept.includes(letter)) return letter;
      if (JOINERS.includes(letter) && text.charCodeAt(at - 1) > 127) return letter;
      return `⟨U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
    })
    .replace(BLANKS, (run) => `⟨${run.length} blanks⟩`)
    .replace(MARKS, "$1");
}
