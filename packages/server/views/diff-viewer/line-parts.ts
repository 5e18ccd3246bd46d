// One line as pieces of text with what is to be shown of them: colour of syntax, changed words, and
// characters that would otherwise act on the page instead of being read.

import { diffArrays } from "diff";

/** From one character to the one after the last. */
export type Range = readonly [from: number, to: number];

/** A piece of a line. */
export interface Part {
  text: string;
  /** Class of syntax, if any. */
  token: string | undefined;
  changed: boolean;
  /** Code of an invisible control character that is named instead of obeyed. */
  control: string | undefined;
}

/** A token of a line: its class and length. */
export type Token = readonly [type: string | undefined, length: number];

/** Lines longer than this are shown in part. */
export const LINE_LENGTH = 2000;
/** Words are compared in lines up to this length. */
const WORDS_LENGTH = 1000;
/** Lines with less than this in common are other lines, not changed ones. */
const LEAST_IN_COMMON = 0.3;

/** What differs within a pair of lines; undefined when they have too little in common. */
export function changedWords(
  left: string,
  right: string,
): { left: Range[]; right: Range[] } | undefined {
  if (Math.max(left.length, right.length) > WORDS_LENGTH) return undefined;
  const changes = diffArrays(wordsOf(left), wordsOf(right), { maxEditLength: 200 });
  if (!changes) return undefined;
  const ranges: { left: Range[]; right: Range[] } = { left: [], right: [] };
  let common = 0;
  const at = { left: 0, right: 0 };
  for (const { value: words, added, removed } of changes) {
    const value = words.join("");
    if (removed) ranges.left.push([at.left, at.left + value.length]);
    if (added) ranges.right.push([at.right, at.right + value.length]);
    if (!added && !removed) common += value.trim().length;
    if (!added) at.left += value.length;
    if (!removed) at.right += value.length;
  }
  const longer = Math.max(left.trim().length, right.trim().length);
  if (common < longer * LEAST_IN_COMMON) return undefined;
  return { left: joined(ranges.left, left), right: joined(ranges.right, right) };
}

/** Changes with nothing but a blank between them are one to the eye. */
function joined(ranges: readonly Range[], text: string): Range[] {
  const result: Range[] = [];
  for (const range of ranges) {
    const last = result.at(-1);
    const isNext = last && text.slice(last[1], range[0]).trim() === "";
    if (isNext) result[result.length - 1] = [last[0], range[1]];
    else result.push(range);
  }
  return result;
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}_]+|\s+|./gsu) ?? [];
}

// Marks, embeddings, overrides and isolates of direction, and what has no width at all. In a diff
// they are how one text is made to look like another, so they are named and have no effect.
const CONTROLS = /[\u061C\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/;

/** Divides a line wherever syntax, a change or a control character begins or ends. */
export function partsOf(text: string, tokens: readonly Token[], changed: readonly Range[]): Part[] {
  const shown = text.slice(0, LINE_LENGTH);
  const parts: Part[] = [];
  let start = 0;
  for (const [type, length] of tokens.length > 0 ? tokens : [[undefined, shown.length] as const]) {
    const end = Math.min(start + length, shown.length);
    for (const [from, to, isChanged] of divide(start, end, changed)) {
      // A changed word is marked as one; its background would make colours hard to read anyway.
      pushParts(parts, shown.slice(from, to), isChanged ? undefined : type, isChanged);
    }
    start = end;
  }
  return parts;
}

/** Cuts a stretch at the ends of the ranges. */
function* divide(
  start: number,
  end: number,
  ranges: readonly Range[],
): Generator<[from: number, to: number, changed: boolean]> {
  let at = start;
  for (const [from, to] of ranges) {
    if (to <= at || from >= end) continue;
    if (from > at) yield [at, from, false];
    const until = Math.min(to, end);
    yield [Math.max(at, from), until, true];
    at = until;
  }
  if (at < end) yield [at, end, false];
}

function pushParts(parts: Part[], text: string, token: string | undefined, changed: boolean): void {
  let rest = text;
  while (rest !== "") {
    const at = rest.search(CONTROLS);
    const plain = at < 0 ? rest : rest.slice(0, at);
    const last = parts.at(-1);
    if (last && !last.control && last.token === token && last.changed === changed) {
      last.text += plain;
    } else if (plain !== "") parts.push({ text: plain, token, changed, control: undefined });
    if (at < 0) return;
    const code = rest.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0");
    parts.push({ text: `U+${code}`, token: undefined, changed, control: code });
    rest = rest.slice(at + 1);
  }
}
