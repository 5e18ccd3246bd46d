import { type ParseOptions, SugarHigh, tokenize } from "sugar-high/core";
import { onCommentEnd, onCommentStart } from "sugar-high/lang/java";
import * as json from "sugar-high/lang/json";
import * as python from "sugar-high/lang/python";
import * as shell from "sugar-high/lang/shell";
import * as sql from "sugar-high/lang/sql";
import type { Token } from "./line-parts.ts";

// The lexers take quadratic time on long words, so what a Server can make long stays plain.
const MOST_CHARACTERS = 100_000;
const LONGEST_LINE = 400;

// One set of words for all languages with braces: a set for each, and the library's own lexer of
// JavaScript, would cost more than the rest of this View.
const braces: ParseOptions = {
  onCommentStart,
  onCommentEnd,
  keywords: new Set(
    `abstract as async await boolean break byte case catch char class const continue declare default
    defer delete do double else enum export extends false final finally float fn for from func
    function get go goto if impl implements import in infer instanceof int interface is keyof let long
    match mod mut namespace new nil null of override package private protected pub public range
    readonly return satisfies self set short static struct super switch this throw throws trait true
    try type typedef typeof undefined unsigned use using var virtual void where while with yield`.split(
      /\s+/,
    ),
  ),
};

// Names as authors and file endings write them, for those languages that most diffs are in.
const LANGUAGES: readonly (readonly [names: string, options: ParseOptions])[] = [
  ["typescript ts tsx mts cts javascript js jsx mjs cjs vue svelte rust rs swift php", braces],
  ["java kt kotlin cs csharp c h cpp cc hpp c++ css scss go golang", braces],
  ["json jsonc", json],
  ["python py ruby rb", python],
  ["shell sh bash zsh yaml yml toml", shell],
  ["sql", sql],
];

/** The language of a name, of a title's file ending, or of what the text looks like. */
export function findLanguage(
  names: readonly (string | undefined)[],
  sample: string,
): ParseOptions | undefined {
  for (const name of names) {
    const word = name
      ?.toLowerCase()
      .split(/[./\\]/)
      .at(-1);
    const found = word && LANGUAGES.find(([known]) => known.split(" ").includes(word));
    if (found) return found[1];
  }
  const start = sample.slice(0, 4000);
  if (/^\s*[[{]\s*["[{\]}]/.test(start)) return json;
  return /^\s*(import|export|const|let|var|function|class|return|public|private)\b/m.test(start)
    ? braces
    : undefined;
}

/** Tokens of each line; empty lists where the text is too long or the lexer lost any of it. */
export function tokensOf(lines: readonly string[], language: ParseOptions | undefined): Token[][] {
  const text = lines.map((line) => (line.length > LONGEST_LINE ? "" : line)).join("\n");
  if (!language || text.length > MOST_CHARACTERS) return [];
  const tokensByLine: Token[][] = [[]];
  let length = 0;
  // Where keys are quoted, the library tells them from strings by itself.
  const options = language.quotedKeys ? language : { ...language, onLiteral };
  for (const [type, value] of tokenize(text, options)) {
    length += value.length;
    for (const [index, piece] of value.split("\n").entries()) {
      if (index > 0) tokensByLine.push([]);
      if (piece) tokensByLine.at(-1)?.push([classOf(type), piece.length]);
    }
  }
  return length === text.length ? tokensByLine : [];
}

const STRING = /(["'])(?:\\.|(?!\1)[^\\\n])*\1|`(?:\\[\s\S]|[^\\`]){0,500}`/y;

/** Length of a string that begins here. A quote that isn't closed on its line, as in "don't", has length 1. */
function onLiteral(character: string, index: number, code: string): number {
  if (character !== '"' && character !== "'" && character !== "`") return 0;
  STRING.lastIndex = index;
  return STRING.exec(code)?.[0].length ?? 1;
}

function classOf(type: number): string | undefined {
  const name = SugarHigh.TokenTypes[type];
  return name && /^(keyword|string|class|property|comment)$/.test(name) ? name : undefined;
}
