// `vitrine check`: parses the command line, runs the check, prints and writes the report.

import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { printable, printableLines } from "@vitrine/protocol/printable";
import type { Story } from "@vitrine/testing";
import { HEADER_OPTION, withHeaders } from "../auth/header-option.ts";
import { launchChromium } from "../browser/chromium.ts";
import type { Command } from "../command.ts";
import { Failure } from "../failure.ts";
import { helpText } from "../help.ts";
import { loadStories } from "../stories/story-files.ts";
import { readTarget, SERVER_ARGUMENT, type Target } from "../target/target.ts";
import type { Terminal } from "../terminal.ts";
import { type CheckOptions, type CheckReport, checkFile, checkServer } from "./check.ts";
import { CODES } from "./codes.ts";
import { isRecord, type Json } from "./json.ts";
import { keepPictures, type Picture } from "./render/picture.ts";
import { writeContactSheet } from "./report/contact-sheet.ts";
import { renderJson } from "./report/json-report.ts";
import { renderSarif } from "./report/sarif.ts";
import { renderWords } from "./report/words.ts";

const USAGE = helpText({
  summary:
    "Find out what a strict host would show of an app, why it is blank, and which line fixes it.",
  usage: ["check [options] <server>", "check [options] --file view.html"],
  about: [
    "Reads tools, resources and pages, calls the tools that have a view, and renders each view in Chromium: normally, then with a late, repeated, empty, failed and cancelled result, without styles, without serverTools, in dark mode, 360 px wide and right-to-left.",
  ],
  groups: {
    Arguments: [SERVER_ARGUMENT],
    Options: [
      ["--file <file>", "check a page instead of a server"],
      ["--meta <file>", "the resource's _meta.ui as JSON, for --file"],
      ["--result <file>", "the tool's result as JSON, for --file"],
      ["--call <tool=json>", "arguments of a tool; also calls tools that change things"],
      ["--calling <which>", "tools to call: safe (skips tools that change things), all or none"],
      ["--tool <name>", "check only this tool; repeatable"],
      HEADER_OPTION,
      ["--no-render", "only read the source, without a browser"],
      ["--offline", "block all network access, including declared addresses"],
      ["--patience <seconds>", "time limit for each half of the handshake; default 6"],
      ["--pictures <folder>", "write a picture of each state, and index.html with all of them"],
      ["--only, --ignore <codes>", "finding codes, separated by commas"],
      ["--json, --sarif <file>", "also write the report to a file"],
      ["--ci", "exit with 1 if there is an error"],
      ["--max-warnings <number>", "… or more than this many warnings (with --ci)"],
    ],
  },
  notes: [
    "Options go before a server's command. Log in to a server with vitrine login.",
    "Exit codes: 0 success, 1 a view is blank or problems found (with --ci), 2 could not run",
  ],
  examples: [
    "check node server.mjs",
    `check https://example.com/mcp --call 'forecast={"city":"Oslo"}'`,
    'check --ci --sarif check.sarif "uv run app.py"',
  ],
});

const OPTIONS = {
  file: { type: "string" },
  header: { type: "string", multiple: true },
  meta: { type: "string" },
  result: { type: "string" },
  call: { type: "string", multiple: true },
  calling: { type: "string" },
  tool: { type: "string", multiple: true },
  "no-render": { type: "boolean" },
  offline: { type: "boolean" },
  patience: { type: "string" },
  pictures: { type: "string" },
  only: { type: "string" },
  ignore: { type: "string" },
  json: { type: "string" },
  sarif: { type: "string" },
  ci: { type: "boolean" },
  "max-warnings": { type: "string" },
} as const;

type Flags = ReturnType<
  typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>
>["values"];

/** `vitrine check`. */
export const command: Command = { usage: USAGE, run };

async function run(line: readonly string[], terminal: Terminal): Promise<number> {
  const { own, words } = splitLine(line);
  const { values } = parseArgs({ args: own, options: OPTIONS, allowPositionals: true });
  const pictures = keepPictures();
  const options = {
    ...readOptions(values),
    ...(values.pictures && { onPicture: (one: Picture) => pictures.add(one) }),
  };
  const browser = values["no-render"] ? undefined : await launchChromium();
  let report: CheckReport;
  try {
    report = values.file
      ? await checkFile(values.file, { ...options, browser, ...(await readFileOptions(values)) })
      : await checkServer(withHeaders(readTarget(words, "check"), values.header), {
          ...options,
          browser,
          ...(browser && { stories: await storiesOf(readTarget(words, "check"), terminal) }),
        });
  } finally {
    await browser?.close();
  }
  terminal.print(renderWords(report, terminal));
  if (values.pictures) {
    const page = await writeContactSheet(values.pictures, { report, pictures: pictures.all() });
    terminal.print(`Pictures of all states: ${page}`);
  }
  if (values.json) await writeFile(values.json, renderJson(report));
  if (values.sarif) await writeFile(values.sarif, renderSarif(report));
  if (values.ci) return exitCode(report, values["max-warnings"]);
  return report.diagnosis.verdict === "blank" ? 1 : 0;
}

/** The stories of the project in this folder; a server at an address isn't part of one. */
async function storiesOf({ kind }: Target, { complain }: Terminal): Promise<Story[]> {
  if (kind !== "command") return [];
  const files = await loadStories(process.cwd());
  for (const { file, error } of files) {
    const line = error?.line === undefined ? "" : `:${error.line}`;
    if (error)
      complain(`${printable(file)}${line} can't be used: ${printableLines(error.message)}`);
  }
  return files.flatMap(({ stories }) => stories);
}

/**
 * Our options end where the server's command starts: everything after its first word belongs to it.
 * Ours may also follow an address or a one-word command, which takes no arguments.
 */
function splitLine(line: readonly string[]): { own: string[]; words: string[] } {
  const { tokens } = parseArgs({
    args: [...line],
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const first = tokens.find(({ kind }) => kind === "positional" || kind === "option-terminator");
  if (!first) return { own: [...line], words: [] };
  const word = line[first.index] ?? "";
  if (first.kind === "option-terminator") {
    return { own: line.slice(0, first.index), words: line.slice(first.index + 1) };
  }
  const isWhole =
    /^https?:\/\//i.test(word) || /\s/.test(word) || /\.(?:[cm]?[jt]s|py)$/.test(word);
  if (isWhole) return { own: line.toSpliced(first.index, 1), words: [word] };
  return { own: line.slice(0, first.index), words: line.slice(first.index) };
}

function readOptions(flags: Flags): CheckOptions {
  const { calling, patience } = flags;
  if (calling !== undefined && !["safe", "all", "none"].includes(calling)) {
    throw new Failure("usage", `--calling is "${calling}". Use safe, all or none.`);
  }
  const most = flags["max-warnings"];
  if (most !== undefined && !/^\d+$/.test(most)) {
    throw new Failure("usage", `--max-warnings is "${most}". Use a whole number.`);
  }
  const seconds = Number(patience ?? 6);
  if (!(seconds > 0))
    throw new Failure("usage", `--patience is "${patience}". Use a number of seconds.`);
  return {
    calls: Object.fromEntries((flags.call ?? []).map(readCall)),
    calling: (calling ?? "safe") as "safe",
    only: readCodes("only", flags.only),
    ignore: readCodes("ignore", flags.ignore),
    tools: flags.tool ?? [],
    network: !flags.offline,
    patience: seconds * 1000,
  };
}

function readCall(text: string): [string, Json] {
  const at = text.indexOf("=");
  const name = text.slice(0, Math.max(at, 0));
  try {
    const value: unknown = JSON.parse(text.slice(at + 1));
    if (name && isRecord(value)) return [name, value];
  } catch {
    // Reported below.
  }
  throw new Failure("usage", `--call is "${text}". Write it as --call 'tool={"name":"value"}'.`);
}

function readCodes(option: string, text: string | undefined): string[] {
  const codes = (text ?? "")
    .split(",")
    .map((code) => code.trim())
    .filter(Boolean);
  for (const code of codes) {
    if (!(code in CODES)) {
      throw new Failure(
        "usage",
        `--${option} has the unknown code "${code}". Choose from: ${Object.keys(CODES).join(", ")}.`,
      );
    }
  }
  return codes;
}

async function readFileOptions({ meta, result }: Flags): Promise<{ meta?: Json; result?: Json }> {
  return {
    ...(meta && { meta: await readJsonFile(meta) }),
    ...(result && { result: await readJsonFile(result) }),
  };
}

async function readJsonFile(path: string): Promise<Json> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (isRecord(value)) return value;
  } catch (cause) {
    throw new Failure("unreadable", `${path} can't be read as JSON.`, { cause });
  }
  throw new Failure("unreadable", `${path} doesn't contain a JSON object.`);
}

function exitCode({ findings }: CheckReport, most: string | undefined): number {
  const count = (severity: string): number =>
    findings.filter((one) => one.severity === severity).length;
  if (count("error") > 0) return 1;
  return most !== undefined && count("warning") > Number(most) ? 1 : 0;
}
