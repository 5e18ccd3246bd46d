// Changes members of JSON text and leaves the rest as it is: numbers no JavaScript number can hold,
// escapes and order survive. It expects text that JSON.parse accepted.

/** One member of an object, as it stands in the text. */
export interface Member {
  key: string;
  /** The value's text. */
  raw: string;
}

/** The new text of a member; undefined takes it out. */
export type MemberEdit = string | undefined | ((raw: string | undefined) => string | undefined);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isSpace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

export function endOfString(text: string, from: number): number {
  // Most have no escape, and to look for the end at once is faster than to go there.
  const quote = text.indexOf('"', from + 1);
  if (quote > 0 && text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
  let at = from + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    // Only a caller that did not parse first gets here.
    if (Number.isNaN(code)) throw new SyntaxError("The text ends within a string.");
    at += code === BACKSLASH ? 2 : 1;
  }
}

function endOfNest(text: string, from: number): number {
  let depth = 0;
  let at = from;
  do {
    const char = text[at];
    if (char === undefined) throw new SyntaxError("The text ends within a value.");
    if (char === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    at++;
  } while (depth > 0);
  return at;
}

const END_OF_WORD = /[\s,\]}]/g;

function endOfValue(text: string, from: number): number {
  const char = text[from];
  if (char === '"') return endOfString(text, from);
  if (char === "{" || char === "[") return endOfNest(text, from);
  END_OF_WORD.lastIndex = from;
  return END_OF_WORD.exec(text)?.index ?? text.length;
}

/** The members of an object's text, in order; undefined for anything but an object. */
export function membersOf(text: string): Member[] | undefined {
  let at = skipSpace(text, 0);
  if (text[at] !== "{") return undefined;
  const members: Member[] = [];
  at = skipSpace(text, at + 1);
  while (text[at] !== "}") {
    const end = endOfString(text, at);
    const key = JSON.parse(text.slice(at, end)) as string;
    const start = skipSpace(text, skipSpace(text, end) + 1);
    at = endOfValue(text, start);
    members.push({ key, raw: text.slice(start, at) });
    at = skipSpace(text, at);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return members;
}

/**
 * An object's text with some members replaced, added or taken out. Of an edited key that stands there
 * more than once only the last is kept, the one that `JSON.parse` saw.
 */
export function editObject(text: string, edits: Readonly<Record<string, MemberEdit>>): string {
  const members = membersOf(text) ?? [];
  const last = new Map<string, Member>();
  for (const member of members) if (Object.hasOwn(edits, member.key)) last.set(member.key, member);
  const parts: string[] = [];
  const put = (key: string, edit: MemberEdit, raw?: string): void => {
    const value = typeof edit === "function" ? edit(raw) : edit;
    if (value !== undefined) parts.push(`${JSON.stringify(key)}:${value}`);
  };
  for (const member of members) {
    const { key, raw } = member;
    if (!Object.hasOwn(edits, key)) put(key, raw);
    else if (last.get(key) === member) put(key, edits[key], raw);
  }
  for (const [key, edit] of Object.entries(edits)) if (!last.has(key)) put(key, edit);
  return `{${parts.join(",")}}`;
}

/** The same JSON on one line: a line break can only stand between tokens, never in a string. */
export function onOneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, " ") : text;
}
