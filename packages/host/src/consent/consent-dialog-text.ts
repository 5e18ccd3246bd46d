import type { ConsentMessages } from "../messages/messages.ts";

// A view chooses the text that a user decides by. Text nodes can't become HTML; here the text also
// loses characters that could reorder, hide or push away a part of it.

const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800]/gu;
// Joiners and emoji selectors: scripts and emoji need them, but never after ASCII, where they only
// make two names look alike, and never three in a row, where they only carry hidden data.
const JOINERS = "\u200c\u200d\ufe0e\ufe0f";
// Enough of them would push the rest out of sight.
const BLANKS = /[^\S\n]{40,}|\n(?:[^\S\n]*\n){4,}/gu;
const MARKS = /\p{M}{5,}/gu;

/** Longest text that is shown; laying out more would freeze the page. */
const LONGEST = 50_000;
const LONGEST_NAME = 200;

/** Texts in the place of blanks and marks that are left out. */
export type Omissions = Pick<ConsentMessages, "blanks" | "marks">;

/** One line: a name, a title. */
export function showName(text: string, omissions: Omissions): string {
  const name = reveal(text, "", omissions);
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}… (${name.length})` : name;
}

/** Many lines, and how many characters were left out. */
export function showText(text: string, omissions: Omissions): { text: string; cut: number } {
  const cut = Math.max(0, text.length - LONGEST);
  return { text: reveal(text.slice(0, LONGEST), "\n\t", omissions), cut };
}

/** Any JSON value. */
export function showJson(value: unknown, omissions: Omissions): { text: string; cut: number } {
  return showText(JSON.stringify(value, null, 2) ?? String(value), omissions);
}

function reveal(text: string, kept: string, { blanks, marks }: Omissions): string {
  return text
    .replace(HIDDEN, (character, at: number) => {
      if (kept.includes(character)) return character;
      if (JOINERS.includes(character) && joinsAt(text, at)) return character;
      return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
    })
    .replace(BLANKS, (run) => `⟨${count(blanks, run.length)}⟩`)
    .replace(MARKS, (run) => `${run.slice(0, 4)}⟨${count(marks, run.length - 4)}⟩`);
}

function joinsAt(text: string, at: number): boolean {
  const isChain = at > 1 && [...text.slice(at - 2, at)].every((one) => JOINERS.includes(one));
  return text.charCodeAt(at - 1) > 127 && !isChain;
}

function count(message: string, number: number): string {
  return message.replace("{count}", String(number));
}
