// Rejects words that make our text hard to read for people who don't know the project: private metaphors,
// translated idioms, and sentences whose subject is "who" or "what". `npm run check:words -- packages/host`
// lists the findings below a path, also where `PENDING` still tolerates them.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { jsonText, jsxText, markdownText, splitSource } from "./text-of-source.mjs";
import { listFiles } from "./tracked-files.mjs";

/** Paths that aren't rewritten yet. Remove yours when `npm run check:words -- <path>` finds nothing. */
export const PENDING = [];

/** Where a retired word is right, each with the reason. */
export const EXCEPTIONS = [
  {
    path: /^scripts\/(?:check-words\.mjs|test\/check-words\.test\.ts)$/,
    reason: "names the words",
  },
  { path: /^(?:spec\/|LICENSE)|(?:^|\/)package-lock\.json$/, reason: "text of others" },
  { path: /^package\.json$/, word: "stranger", reason: "a script's name that issues refer to" },
  { path: /^redteam\/attacks\.json$/, reason: "text of others" },
  {
    path: /^packages\/conformance\/src\/rules-table\.ts$/,
    reason: "equals spec/rules.json word for word",
  },
  {
    path: /^(?:docs\/egress-matrix|docs\/engines)\.md$/,
    reason: "generated; its generator is checked",
  },
  {
    path: /^packages\/cluster\/(?:(?:src|test)\/cluster-metrics|src\/routing\/peer-protocol)\b/,
    word: "news",
    reason: "the name of a metric, and an operation on the wire",
  },
  { path: /(?:relay|guard|probe)-script\.ts$/, reason: "generated; its source is checked" },
];

/** The start of a sentence, of a bullet or of a comment. */
const START = String.raw`(?:(?<=[.!?:;|]["')*_]*\s+|^[\s\-*#>|/]*|[\u2400"\`]\s*))`;
/** The rest of a sentence that isn't a question. */
const NOT_A_QUESTION = String.raw`(?![^.!?\u2400]*\?)`;
/** Things that carry text and therefore can say something. */
const TEXTS = String.raw`(?:spec(?:ification)?|SEP|RFC|rules?|docs?|documentation|README|comments?|messages?|text|lines?|labels?|titles?|headers?|reports?|policy|schema|sentence|section|page|file|it|\.md)`;

const text = (word, pattern, instead) => ({
  word,
  instead,
  in: "text",
  pattern: new RegExp(pattern, "gim"),
});
const exact = (word, pattern, instead) => ({
  word,
  instead,
  in: "text",
  pattern: new RegExp(pattern, "gm"),
});
const name = (word, pattern, instead) => ({
  word,
  instead,
  in: "name",
  pattern: new RegExp(`^(?:${pattern})$`, "i"),
});

/** A metaphor is retired as a word of a text and as a part of a name. */
const both = (word, pattern, instead) => [
  text(word, String.raw`\b(?:${pattern})\b`, instead),
  name(word, pattern, instead),
];

export const RULES = [
  text(
    "is no X",
    String.raw`(?<!\bthere\s+)\b(?:is|are|was|were)\s+no\s+(?!longer\b|more\b|less\b|(?:better|worse|larger|smaller|longer)\b)[a-z]+`,
    "isn't an X",
  ),
  text(
    "has no X of its own",
    String.raw`\bno\s+[a-z-]+(?:\s+[a-z-]+)?\s+of\s+(?:its|their|our|your)\s+own\b`,
    "doesn't have an X",
  ),
  text("of ours", String.raw`\bof\s+(?:ours|yours|theirs|mine)\b`, "our"),
  text("anew", String.raw`\banew\b`, "again"),
  text("meanwhile", String.raw`\bmeanwhile\b`, "while"),
  text("beside", String.raw`\bbeside\b`, "next to, with, besides"),
  text("by hand", String.raw`\bby\s+hand\b`, "manually, hand-written"),
  text("at hand", String.raw`\bat\s+hand\b`, "available"),
  text("for company", String.raw`\bfor\s+company\b`, "with it"),
  text("turned away", String.raw`\bturn(?:s|ed|ing)?\s+(?:\w+\s+)?away\b`, "rejected"),
  text("at the door", String.raw`\bat\s+the\s+door\b`, "rejected"),
  text(
    "let in",
    String.raw`\blets?\s+(?:\w+\s+)?in\b(?=\s*(?:$|[.,;:)]|with\b|where\b|when\b|and\b|who\b))`,
    "admitted",
  ),
  text("whoever", String.raw`\bwhoever\b`, "a noun: the caller, the user"),
  exact(
    "Who … as a subject",
    `${START}Who\\s+(?!am\\b)${NOT_A_QUESTION}`,
    "a noun: the caller, the user",
  ),
  exact(
    "What … as a subject",
    `${START}What\\s+(?:(?:is|are|was|were|has|have|do|does|did|can|could|may|must|would|will|no|nobody|nothing)\\b)${NOT_A_QUESTION}`,
    "a noun",
  ),
  text("hears", String.raw`\b(?:hears?|hearing|heard)\b`, "receives, is notified, subscribes"),
  text(
    "is told",
    String.raw`\b(?:is|are|was|were|be|been|being|gets?)\s+(?:\w+\s+)?told\b`,
    "is notified, receives",
  ),
  text("speaks", String.raw`\b(?:speaks?|spoke|spoken|speaking)\b`, "supports, uses, sends"),
  text("says", `(?<!${TEXTS}\\s+)\\bsays\\b`, "sends, returns, reports"),
  text("knows of", String.raw`\b(?:know|knows|knew|known)\s+of\b`, "tracks, has"),
  text(
    "dear, cheap",
    String.raw`\b(?:dear|dearer|dearest|cheap|cheaper|cheapest|cheaply)\b`,
    "slow, fast",
  ),
  text("price of code", String.raw`\b(?:the|its|at\s+a|this|no)\s+price\b`, "cost"),
  text("to mend", String.raw`\bmend(?:s|ed|ing)?\b`, "to fix"),
  text(
    "a look, to look for",
    String.raw`\ba\s+look\b(?!-)|\blook(?:s|ed|ing)?\s+(?:for|whether)\b`,
    "a check, to search, to scan",
  ),
  ...both("courier", "couriers?", "peer RPC"),
  ...both("errand", "errands?", "request to an owner"),
  ...both("parcel", "parcels?", "payload"),
  text(
    "letter",
    String.raw`\b(?:a|the|each|every|this|one)\s+letter\b(?!\s+(?:of|or)\b)`,
    "message",
  ),
  name("letter", "letter", "message"),
  ...both("desk", "desks?", "handler, registry"),
  ...both("office", "offices?", "a noun of the field"),
  ...both("door", "doors?", "entry, admission"),
  ...both("news", "news", "changes, events"),
  ...both("parking", "parking|parked", "resume buffer"),
  ...both("witness", "witness(?:es|ed)?", "audit recorder"),
  ...both("farewell", "farewells?", "graceful shutdown"),
  ...both("stranger", "strangers?", "third party"),
  ...both("surroundings", "surroundings", "host context"),
  ...both("foundations", "foundations", "parts"),
  ...both("adorn", "adorn(?:s|ed|ing|ment|ments)?", "auto views"),
  name("anew", "anew", "again"),
  name("hear", "hears?|heard", "receive, on…"),
  name("mend", "mend(?:s|ed)?", "fix"),
];

const CODE = /\.(?:[cm]?[jt]sx?)$/;
const PROSE =
  /\.(?:html|css|ya?ml|sh|py|go|service|tpl|txt)$|(?:^|\/)(?:Dockerfile|run|fast|nightly|node)$/;
const READ = new RegExp(String.raw`${CODE.source}|${PROSE.source}|\.(?:md|json)$`);

/** The findings in one file: `{ path, line, word, found, instead }`. */
export function wordFindings(path, source) {
  const { text: prose, code } = partsOf(path, source);
  const findings = [];
  for (const { word, instead, pattern, in: place } of RULES) {
    for (const { found, offset } of place === "text"
      ? textMatches(pattern, prose)
      : nameMatches(pattern, path, code)) {
      const line = source.slice(0, offset).split("\n").length;
      findings.push({ path, line, word, found, instead });
    }
  }
  return findings;
}

function* textMatches(pattern, prose) {
  for (const { 0: match, index } of prose.matchAll(pattern)) {
    const start = /^[\s\u2400"`\-*#>|/]*/.exec(match)?.[0].length ?? 0;
    const found = match.slice(start).replaceAll(/\s+/g, " ").trim();
    yield { found, offset: index + start };
  }
}

function* nameMatches(pattern, path, code) {
  const isRetired = (identifier) => wordsOf(identifier).some((word) => pattern.test(word));
  if (isRetired(path)) yield { found: "the file's path", offset: 0 };
  for (const { 0: found, index: offset } of code.matchAll(/[A-Za-z][A-Za-z0-9]*/g)) {
    if (isRetired(found)) yield { found, offset };
  }
}

function partsOf(path, source) {
  if (CODE.test(path)) {
    const { text: prose, code } = splitSource(withoutImports(source));
    return { text: path.endsWith("x") ? overlay(prose, jsxText(code)) : prose, code };
  }
  if (path.endsWith(".md")) return { text: markdownText(source), code: "" };
  if (path.endsWith(".json")) return { text: jsonText(source), code: "" };
  return { text: source, code: "" };
}

/** A module's path repeats the name of a file, which is reported once, for the file itself. */
function withoutImports(source) {
  return source.replaceAll(/(?<=\b(?:from|import)\s*\(?\s*)(["'])[^"'\n]+\1/g, (found) =>
    "_".repeat(found.length),
  );
}

const overlay = (lower, upper) =>
  [...lower].map((character, at) => (upper[at] === "\u2400" ? character : upper[at])).join("");

/** The words of an identifier or a path: `#ownerDesk` and `owner-desk.ts` both have "desk". */
function wordsOf(identifier) {
  return identifier.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
}

const below = (path, folder) => path === folder || path.startsWith(`${folder}/`);

async function findAll() {
  const findings = [];
  for (const path of await listFiles(READ)) {
    const exceptions = EXCEPTIONS.filter((exception) => exception.path.test(path));
    if (exceptions.some(({ word }) => word === undefined)) continue;
    // A file that git still lists may be deleted already.
    const source = await readFile(path, "utf8").catch(() => "");
    for (const finding of wordFindings(path, source)) {
      if (!exceptions.some(({ word }) => word === finding.word)) findings.push(finding);
    }
  }
  return findings;
}

async function main() {
  const only = process.argv.slice(2).map((path) => path.replace(/\/$/, ""));
  const findings = await findAll();
  const isIn = (folders) => (finding) => folders.some((folder) => below(finding.path, folder));
  const pending = findings.filter(isIn(PENDING));
  const rejected =
    only.length > 0 ? findings.filter(isIn(only)) : findings.filter((it) => !pending.includes(it));
  for (const { path, line, word, found, instead } of rejected) {
    console.log(`${path}:${line}: "${found}" (${word}): write ${instead}.`);
  }
  for (const [word, count] of counts(rejected.map((finding) => finding.word))) {
    console.log(`${String(count).padStart(5)} ${word}`);
  }
  const clean = PENDING.filter((folder) => !pending.some(({ path }) => below(path, folder)));
  for (const folder of clean) console.log(`${folder} is clean: remove it from PENDING.`);
  const rest = pending.length > 0 ? `, ${pending.length} in pending folders` : "";
  console.log(`check:words: ${rejected.length} retired words${rest}.`);
  if (rejected.length > 0 || (clean.length > 0 && only.length === 0)) process.exitCode = 1;
}

function counts(words) {
  const table = new Map();
  for (const word of words) table.set(word, (table.get(word) ?? 0) + 1);
  return [...table].sort((a, b) => b[1] - a[1]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
