// Changes members of JSON text and leaves the rest as it is: numbers no JavaScript number can hold,
// escapes and order survive. It expects text that JSON.parse accepted.

/** The new text of a member; undefined takes it out. */
export type MemberEdit = string | undefined | ((raw: string | undefined) => string | undefined);

/** Where one member of an object stands in the text. */
interface Member {
  /** Of one that is to be edited. */
  key: string | undefined;
  start: number;
  valueStart: number;
  end: number;
}

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
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

/** What the string between these places says. */
export function stringAt(text: string, from: number, end: number): string {
  const inner = text.slice(from + 1, end - 1);
  // Few have an escape; the others need no parser.
  return inner.includes("\\") ? (JSON.parse(text.slice(from, end)) as string) : inner;
}

/** Whether the string between these places, which has no escape, says this. */
function saysAt(text: string, from: number, end: number, what: string): boolean {
  return end - from === what.length + 2 && text.startsWith(what, from + 1);
}

function endOfNest(text: string, from: number): number {
  let depth = 0;
  let at = from;
  do {
    const code = text.charCodeAt(at);
    if (Number.isNaN(code)) throw new SyntaxError("The text ends within a value.");
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    at++;
  } while (depth > 0);
  return at;
}

function endOfValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === QUOTE) return endOfString(text, from);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNest(text, from);
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isEnd = code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code);
    if (isEnd) return at;
  }
  return text.length;
}

/** The members of an object's text, in order; none for anything but an object. */
function membersOf(text: string, edited: readonly string[]): Member[] {
  const members: Member[] = [];
  const hasEscapes = text.includes("\\");
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== OPEN_BRACE) return members;
  at = skipSpace(text, at + 1);
  while (text.charCodeAt(at) !== CLOSE_BRACE) {
    const start = at;
    const endOfKey = endOfString(text, at);
    const valueStart = skipSpace(text, skipSpace(text, endOfKey) + 1);
    const end = endOfValue(text, valueStart);
    const name = hasEscapes ? stringAt(text, start, endOfKey) : undefined;
    const key = edited.find((each) =>
      name === undefined ? saysAt(text, start, endOfKey, each) : name === each,
    );
    members.push({ key, start, valueStart, end });
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return members;
}

/**
 * An object's text with some members replaced, added or taken out. Of an edited key that stands there
 * more than once only the last is kept, the one that `JSON.parse` saw.
 */
export function editObject(text: string, edits: Readonly<Record<string, MemberEdit>>): string {
  const keys = Object.keys(edits);
  const members = membersOf(text, keys);
  const last = new Map<string, Member>();
  for (const member of members) if (member.key !== undefined) last.set(member.key, member);
  let edited = "";
  const put = (member: string): void => {
    edited += edited === "" ? member : `,${member}`;
  };
  const putEdited = (key: string, raw: string | undefined): void => {
    const edit = edits[key];
    const value = typeof edit === "function" ? edit(raw) : edit;
    if (value !== undefined) put(`${JSON.stringify(key)}:${value}`);
  };
  for (const member of members) {
    const { key, start, valueStart, end } = member;
    if (key === undefined) put(text.slice(start, end));
    else if (last.get(key) === member) putEdited(key, text.slice(valueStart, end));
  }
  for (const key of keys) if (!last.has(key)) putEdited(key, undefined);
  return `{${edited}}`;
}

const FIRST = '{"jsonrpc":"2.0",';
const ID = '"id"';
const COLON = 0x3a;

/** A message under another id, which is JSON. */
export function withId(text: string, id: string): string {
  const at = text.indexOf(ID);
  const start = at + ID.length + 1;
  const end = at > 0 && text.charCodeAt(start - 1) === COLON ? endOfValue(text, start) : 0;
  const isFirst = at === FIRST.length && text.startsWith(FIRST);
  const isLast = end === text.length - 1 && text.charCodeAt(at - 1) === COMMA;
  // Mostly it stands at one of the two ends, once, and what is in between need not be looked through.
  const isAlone = (isFirst || isLast) && text.indexOf(ID, start) < 0 && !text.includes("\\u");
  return isAlone && end > start
    ? `${text.slice(0, start)}${id}${text.slice(end)}`
    : editObject(text, { id });
}

/** The same JSON on one line: a line break can only stand between tokens, never in a string. */
export function onOneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, " ") : text;
}
