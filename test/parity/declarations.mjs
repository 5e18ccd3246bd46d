/**
 * Reads declaration files as text: which members a class or type has, which names an entry exports.
 * TypeScript 7 has no JavaScript API, and for generated declarations a small grammar is enough: no
 * bodies, one statement per member, every type spelt out.
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const STRINGS_AND_COMMENTS =
  /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/.*/g;
const DECLARATION_FILE = /\.d\.m?ts$/;
const MODIFIERS = /^(?:(?:static|readonly|abstract|override|get|set|declare)\s+)*/;
const HIDDEN = /^(?:private|protected)\b|^#/;
const NAME = /^(?:([\w$]+)|"([^"]+)")/;

/** Loads every declaration file below the folders. */
export function readDeclarations(...folders) {
  const files = new Map();
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!DECLARATION_FILE.test(entry)) continue;
      const path = join(folder, entry);
      files.set(path, withoutComments(readFileSync(path, "utf8")));
    }
  }
  return files;
}

/** The public members of a class, interface or type, own and inherited. */
export function membersOf(files, name) {
  // At the start of a line: in the middle of one it is an import.
  const head = `^(?:export |declare |abstract )*(?:class|interface|type) ${name}(?=[ <])`;
  const pattern = new RegExp(head, "m");
  for (const text of files.values()) {
    const found = pattern.exec(text);
    if (!found) continue;
    const nameEnd = found.index + found[0].length;
    const generic = text[nameEnd] === "<";
    const start = generic ? scan(text, nameEnd + 1, ">") + 1 : nameEnd;
    const [matched = "", kind, bases = ""] =
      /^\s*(?:(=)|extends ([^{]+))?/.exec(text.slice(start)) ?? [];
    if (kind) return membersOfType(files, upTo(text, start + matched.length, ";"));
    return new Map([
      ...split(bases, ",").flatMap((base) => [...membersOfType(files, base)]),
      ...ownMembers(upTo(text, text.indexOf("{", start) + 1, "}")),
    ]);
  }
  throw new Error(`No declaration of ${name}`);
}

/** The members of a type expression: object types, names, `Omit`, `Pick`, and their intersections. */
export function membersOfType(files, type) {
  const members = split(type, "&").flatMap((part) => {
    if (part.startsWith("{")) return [...ownMembers(part.slice(1, -1))];
    const [, base, from = "", keys = ""] =
      /^([\w$]+)(?:<([\w$]+)(?:, ((?:"\w+"[ |]*)+))?>)?$/.exec(part) ?? [];
    if (!base) throw new Error(`Cannot read the type ${part}`);
    if (base !== "Omit" && base !== "Pick") return [...membersOf(files, base)];
    const named = [...keys.matchAll(/"(\w+)"/g)].map(([, key]) => key);
    const keeps = (key) => named.includes(key) === (base === "Pick");
    return [...membersOf(files, from)].filter(([key]) => keeps(key));
  });
  return new Map(members);
}

/** The names an entry exports → whether each is a type only. */
export function exportsOf(files, entry) {
  const text = files.get(entry);
  if (text === undefined) throw new Error(`No declaration file ${entry}`);
  const names = new Map();
  const follow = (specifier) => exportsOf(files, resolveFrom(files, entry, specifier));
  for (const [, specifier = ""] of text.matchAll(/export \* from "([^"]+)"/g)) {
    for (const [name, isType] of follow(specifier)) names.set(name, isType);
  }
  for (const [, type, list = "", specifier] of text.matchAll(
    /export (type )?\{([^}]*)\}(?: from "([^"]+)")?/g,
  )) {
    const known = specifier?.startsWith(".") ? follow(specifier) : new Map();
    for (const item of split(list, ",")) {
      const [, itemType, local = "", alias] =
        /^(type )?([\w$]+)(?: as ([\w$]+))?$/.exec(item) ?? [];
      names.set(alias ?? local, Boolean(type ?? itemType ?? known.get(local)));
    }
  }
  const declared =
    /export (?:declare )?(?:abstract )?(class|function|const|type|interface) ([\w$]+)/g;
  for (const [, kind = "", name = ""] of text.matchAll(declared)) {
    names.set(name, kind === "type" || kind === "interface");
  }
  return names;
}

function withoutComments(text) {
  return text.replace(STRINGS_AND_COMMENTS, (found) => (found.startsWith("/") ? "" : found));
}

function ownMembers(body) {
  const members = new Map();
  for (const statement of split(body, ";")) {
    if (HIDDEN.test(statement)) continue;
    const declaration = statement.replace(MODIFIERS, "");
    const [matched = "", name, quoted] = NAME.exec(declaration) ?? [];
    const key = name ?? quoted;
    if (key) members.set(key, declaration.slice(matched.length));
  }
  return members;
}

/** The text until a character that stands outside all brackets and strings. */
function upTo(text, start, end) {
  return text.slice(start, scan(text, start, end)).trim();
}

/** The parts between separators that stand outside all brackets and strings. */
function split(text, separator) {
  const parts = [];
  for (let start = 0; start < text.length; ) {
    const end = scan(text, start, separator);
    parts.push(text.slice(start, end).trim());
    start = end + 1;
  }
  return parts.filter((part) => part !== "");
}

function scan(text, start, end) {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (depth === 0 && char === end) return at;
    // An arrow's head is not a bracket.
    if ("{([<".includes(char)) depth++;
    else if ("})]".includes(char) || (char === ">" && text[at - 1] !== "=")) depth--;
    else if (char === '"' || char === "'") at = text.indexOf(char, at + 1);
  }
  return text.length;
}

function resolveFrom(files, file, specifier) {
  const path = join(dirname(file), specifier).replace(/\.[jt]s$/, "");
  return files.has(`${path}.d.ts`) ? `${path}.d.ts` : join(path, "index.d.ts");
}
