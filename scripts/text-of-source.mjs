// Separates what people read in a file from the rest of it: comments, messages and prose from code.

/** Stands in for a character that isn't text. Neither a pattern for words nor `\s` matches it. */
export const MASK = "\u2400";

const mask = (text) => text.replaceAll(/[^\n]/g, MASK);
const blank = (text) => text.replaceAll(/[^\n]/g, " ");

/** A slash after one of these starts a regular expression; after anything else it divides. */
const BEFORE_REGEX =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^\n]|\b(?:return|typeof|case|of|in|await|yield|void))\s*$/;
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|`|\/(?![/*])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*|[{}]/g;

/**
 * A source file as two texts of the same length and lines: `text` has its comments and its strings with
 * a space in them, `code` has the rest except regular expressions. Strings without a space count as code
 * because most of them are identifiers.
 */
export function splitSource(source) {
  const splitter = new Splitter(source);
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(source); token; token = TOKEN.exec(source)) {
    TOKEN.lastIndex = splitter.take(token[0], token.index);
  }
  return splitter.finish();
}

class Splitter {
  #source;
  #text = "";
  #code = "";
  #end = 0;
  /** For each open template: how many braces of code are open inside its `${…}`. */
  #templates = [];

  constructor(source) {
    this.#source = source;
  }

  /** Takes one token and returns the offset at which the next one may start. */
  take(token, start) {
    const end = start + token.length;
    if (/^\/[/*]/.test(token)) this.#put(start, end, "comment");
    else if (token[0] === "/") return this.#takeSlash(start, end);
    else if (token === "`") return this.#takeTemplate(end);
    else if (token === "{" || token === "}") return this.#takeBrace(token, end);
    else if (/\s/.test(token)) this.#put(start + 1, end - 1, "text");
    return end;
  }

  finish() {
    this.#put(this.#source.length, this.#source.length, "text");
    return { text: this.#text, code: this.#code };
  }

  /** Adds what comes before `start` as code, and the part from `start` to `end` as `kind`. */
  #put(start, end, kind) {
    const code = this.#source.slice(this.#end, start);
    const part = this.#source.slice(start, end);
    this.#text += mask(code);
    this.#code += code + mask(part);
    if (kind === "comment") this.#text += withoutMarkers(part);
    else this.#text += kind === "text" ? part : mask(part);
    this.#end = end;
  }

  #takeSlash(start, end) {
    const before = this.#source.slice(Math.max(0, start - 40), start);
    if (!BEFORE_REGEX.test(before)) return start + 1;
    this.#put(start, end, "regex");
    return end;
  }

  #takeBrace(brace, end) {
    const last = this.#templates.length - 1;
    if (last < 0) return end;
    if (brace === "{") this.#templates[last]++;
    else if (this.#templates[last]-- === 0) {
      this.#templates.pop();
      return this.#takeTemplate(end);
    }
    return end;
  }

  /** Reads the characters of a template up to its end or its next `${`. */
  #takeTemplate(from) {
    const characters = /(?:[^\\`$]|\\[\s\S]|\$(?!\{))*/y;
    characters.lastIndex = from;
    const at = from + (characters.exec(this.#source)?.[0].length ?? 0);
    if (/\s/.test(this.#source.slice(from, at))) this.#put(from, at, "text");
    if (this.#source[at] !== "$") return at + 1;
    this.#templates.push(0);
    return at + 2;
  }
}

/** The words between two tags of JSX, which are code to `splitSource`. */
export function jsxText(code) {
  let text = mask(code);
  for (const { 0: found, index } of code.matchAll(
    />[^<>{}=;()]*[A-Za-z] [A-Za-z][^<>{}=;()]*(?=[<{])/g,
  )) {
    text = text.slice(0, index + 1) + found.slice(1) + text.slice(index + found.length);
  }
  return text;
}

/** The prose of a Markdown file: without code blocks, code in a line, and the targets of links. */
export function markdownText(source) {
  return source
    .replaceAll(/^(\s*)(`{3,}|~{3,})[\s\S]*?^\s*\2\s*$/gm, mask)
    .replaceAll(/<!-- docs: [\s\S]*?-->/g, mask)
    .replaceAll(/`[^`\n]+`/g, mask)
    .replaceAll(/\]\([^)\s]*\)/g, mask)
    .replaceAll(/https?:\/\/[^\s)>]+/g, mask);
}

/** The strings of a JSON file that are sentences. */
export function jsonText(source) {
  return source.replaceAll(/"(?:[^"\\]|\\.)*"|[^"]+/g, (part) =>
    part[0] === '"' && /\s/.test(part) ? part : mask(part),
  );
}

/** Comment markers become spaces, so that a sentence goes on over the lines of a comment. */
function withoutMarkers(comment) {
  return comment.replaceAll(/^\s*(?:\/\/+|\/?\*+\/?)|\*\/$/gm, blank);
}
