// Servers return text for people and models, and much of that text is data: JSON, lists, tables,
// differences. It is parsed as data only if every line agrees; a mistake would hide text, and
// otherwise it is shown as text.

import type { TextData } from "./result-config.ts";

type Row = Record<string, string>;
type Fields = Record<string, string | boolean>;
type Reader = (lines: readonly string[]) => TextData | undefined;

const longestText = 512 * 1024;
const mostLines = 20_000;
const longestLine = 2_000;
// A host accepts 64 levels, some of which the result around the data uses.
const deepest = 48;
const READERS: readonly Reader[] = [
  jsonLines,
  markdownTable,
  tabTable,
  taggedLines,
  fieldLines,
  itemLines,
];

/** The data in a text; `undefined` if it is just text. */
export function textData(text: string): TextData | undefined {
  if (text.length > longestText) return undefined;
  const { body, language } = unfenced(text.trim());
  const json = /^[[{]/.test(body) ? parsed(body) : undefined;
  if (typeof json === "object" && json !== null) return { kind: "json", value: json };
  const lines = body.split(/\r\n|\n|\r/);
  if (lines.length > mostLines) return undefined;
  if (language === "diff" || language === "patch" || isDiff(lines)) return { kind: "diff", lines };
  // A code block in any other language is shown unchanged, and an overlong line isn't a row.
  if (language !== undefined) return undefined;
  const isLong = lines.some((line) => line.length > longestLine);
  for (const read of isLong ? [jsonLines, tabTable] : READERS) {
    const found = read(lines);
    if (found) return found;
  }
  return undefined;
}

/** The content of a text that is one fenced block. */
function unfenced(text: string): { body: string; language?: string } {
  const [, fence = "", language = "", body = ""] =
    /^(`{3,8})(?!`)([\w-]{0,40})[^\n]*\n([\s\S]*)$/.exec(text) ?? [];
  if (!fence || !body.endsWith(fence)) return { body: text };
  const inside = body.slice(0, -fence.length).replace(/\n$/, "");
  return inside.includes(fence)
    ? { body: text }
    : { body: inside, language: language.toLowerCase() };
}

function parsed(text: string): unknown {
  try {
    const value = JSON.parse(text);
    return isShallow(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** JSON can be parsed at any depth, but serializing it again would overflow the stack. */
function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return false;
    level = level.flatMap((item) => (typeof item === "object" && item ? Object.values(item) : []));
  }
  return true;
}

function isDiff(lines: readonly string[]): boolean {
  const hunk = lines.findIndex((line) => /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/.test(line));
  return hunk > 0 && lines.slice(0, hunk).some((line) => line.startsWith("+++ "));
}

/** One object in each line. */
function jsonLines(lines: readonly string[]): TextData | undefined {
  if (lines.length < 2 || !lines.every((line) => line.startsWith("{"))) return undefined;
  const rows = lines.map(parsed);
  return rows.every((row) => typeof row === "object") ? { kind: "json", value: rows } : undefined;
}

function markdownTable(lines: readonly string[]): TextData | undefined {
  const isRow = (line: string): boolean => /^\|.*\|$/.test(line.trim());
  if (lines.length < 3 || !lines.every(isRow)) return undefined;
  const cells = (line: string): string[] =>
    line
      .trim()
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll("\\|", "|"));
  const [head = "", rule = "", ...body] = lines;
  if (!cells(rule).every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  return table(cells(head), body.map(cells));
}

function tabTable(lines: readonly string[]): TextData | undefined {
  const rows = lines.map((line) => line.split("\t"));
  const [head = [], ...body] = rows;
  const isTable =
    head.length > 1 && body.length > 0 && rows.every((row) => row.length === head.length);
  return isTable ? table(head, body) : undefined;
}

function table(head: readonly string[], body: readonly string[][]): TextData | undefined {
  if (new Set(head).size !== head.length || head.includes("")) return undefined;
  // Entries: a column may be called `__proto__`.
  const rows: Row[] = body.map((cells) =>
    Object.fromEntries(head.map((name, at) => [name, cells[at] ?? ""])),
  );
  return { kind: "json", value: rows };
}

/** `[FILE] notes.txt      1.2 KB` in each line, perhaps with sums below. */
function taggedLines(lines: readonly string[]): TextData | undefined {
  const tagged = lines.map((line) =>
    /^\[([A-Z][A-Z ]{0,15})\]\s+(\S.*?)(?:\s{2,}(\S.*))?\s*$/.exec(line),
  );
  const count = tagged.findIndex((match) => !match);
  const rows = (count < 0 ? tagged : tagged.slice(0, count)).map((match): Row => {
    const [, type = "", name = "", more] = match ?? [];
    return { name, type: type.toLowerCase(), ...(more !== undefined && { details: more }) };
  });
  const below = count < 0 ? [] : lines.slice(count).filter((line) => line.trim() !== "");
  const sums = below.length > 0 ? fieldsIn(below) : {};
  if (rows.length === 0 || !sums) return undefined;
  return { kind: "json", value: below.length > 0 ? { entries: rows, ...sums } : rows };
}

/** `name: value` in each line, at least two. */
function fieldLines(lines: readonly string[]): TextData | undefined {
  const fields = lines.length > 1 ? fieldsIn(lines) : undefined;
  return fields && { kind: "json", value: fields };
}

function fieldsIn(lines: readonly string[]): Fields | undefined {
  const fields = lines.map((line) => /^[-*]?\s*([A-Za-z][\w ()/-]{0,39}):\s+(\S.*)$/.exec(line));
  if (!fields.every((match) => match)) return undefined;
  const entries = fields.map(
    (match) => [match?.[1]?.trim() ?? "", scalar(match?.[2] ?? "")] as const,
  );
  const isEach = new Set(entries.map(([name]) => name)).size === entries.length;
  return isEach ? Object.fromEntries(entries) : undefined;
}

// As JavaScript writes a moment: `Sun Nov 15 2026 08:53:28 GMT+0000 (Coordinated Universal Time)`.
const MOMENT =
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d{2} \d{4} \d{2}:\d{2}:\d{2} GMT[+-]\d{4}(?: \([^)]*\))?$/;

/** A value as its obvious type; a number may also be a name, so it stays text. */
function scalar(text: string): string | boolean {
  const value = text.trim();
  if (value === "true" || value === "false") return value === "true";
  const moment = MOMENT.test(value) ? Date.parse(value.replace(/ \(.*$/, "")) : Number.NaN;
  return Number.isNaN(moment) ? value : new Date(moment).toISOString();
}

/** Paths, addresses or bullets, one per line; perhaps below a line that describes them. */
function itemLines(lines: readonly string[]): TextData | undefined {
  const [first = ""] = lines;
  const title = /^[^:]{1,80}:$/.test(first.trim()) ? first.trim().slice(0, -1) : undefined;
  const items = (title ? lines.slice(1) : lines)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const bullets = items.map((item) => /^(?:[-*•]|\d{1,4}[.)])\s+(\S.*)$/.exec(item)?.[1]);
  const values = bullets.every((item) => item !== undefined)
    ? bullets
    : items.every(isAddress)
      ? items
      : [];
  if (values.length < (title ? 1 : 2)) return undefined;
  return { kind: "json", value: values, ...(title && { title }) };
}

function isAddress(text: string): boolean {
  return (
    /^(?:\/|~\/|\.{1,2}\/|[A-Za-z]:[\\/]|[a-z][a-z0-9+.-]*:\/\/)\S*$/.test(text) ||
    /^\/.+\.\w+$/.test(text)
  );
}
