// What `npm run conformance` runs: reads the command line, runs, prints, writes.

import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { wordsOf } from "./deadline.ts";
import type { Json } from "./json.ts";
import { renderHtml } from "./report/html.ts";
import { renderJson } from "./report/json.ts";
import { renderJunit } from "./report/junit.ts";
import { renderMatrix } from "./report/matrix.ts";
import {
  type ConformanceOptions,
  type ConformanceReport,
  conforms,
  runConformance,
} from "./run.ts";
import type { ServerTargetOptions } from "./targets/server-target.ts";

const USAGE = `conformance server --command "node server.mjs" | --url https://example.com/mcp
conformance view   --file view.html | (--command … | --url …) [--uri ui://name/view.html]

  --calls file.json       arguments of tools, by their names
  --calling safe|all|none which tools are called; safe leaves out those that change things
  --csp file.json         what the View of a file declares (_meta.ui.csp)
  --rules SRV-01,SRV-02   only these
  --json, --junit, --html file   the report, beside the one on the terminal
  --chromium program      the browser for Views; default $CHROMIUM, or the one installed

Exit code 0: no MUST is broken; 1: one is, or a scenario broke off; 2: nothing could be run.
`;

const OPTIONS = {
  command: { type: "string" },
  url: { type: "string" },
  file: { type: "string" },
  uri: { type: "string" },
  calls: { type: "string" },
  calling: { type: "string" },
  csp: { type: "string" },
  rules: { type: "string" },
  json: { type: "string" },
  junit: { type: "string" },
  html: { type: "string" },
  chromium: { type: "string" },
  help: { type: "boolean" },
} as const;

type Flags = { [Name in Exclude<keyof typeof OPTIONS, "help">]?: string };

async function main(line: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: line,
    options: OPTIONS,
    allowPositionals: true,
  });
  const { help, ...flags } = values;
  if (help || positionals.length === 0) {
    process.stdout.write(USAGE);
    return help ? 0 : 2;
  }
  const report = await runConformance(await readOptions(positionals[0] ?? "", flags));
  process.stdout.write(renderMatrix(report, { colour: process.stdout.isTTY === true }));
  await writeReports(report, flags);
  return conforms(report) ? 0 : 1;
}

async function readOptions(role: string, flags: Flags): Promise<ConformanceOptions> {
  const rules = flags.rules ? { rules: flags.rules.split(",") } : {};
  if (role === "server") return { role, target: await readServer(flags), ...rules };
  if (role !== "view") throw new Error(`"${role}" is no role here: server or view.`);
  const { file, uri, chromium } = flags;
  const target = {
    ...(file ? { file } : { server: await readServer(flags), ...(uri && { uri }) }),
    ...(flags.csp && { csp: await readJson(flags.csp) }),
    ...(chromium && { chromium }),
  };
  return { role, target, ...rules };
}

async function readServer({ command, url, calls, calling }: Flags): Promise<ServerTargetOptions> {
  if (calling !== undefined && !["safe", "all", "none"].includes(calling)) {
    throw new Error(`--calling is "${calling}": safe, all or none.`);
  }
  return {
    ...(command && { command }),
    ...(url && { url }),
    ...(calls && { calls: await readJson(calls) }),
    ...(calling && { calling: calling as "safe" }),
  };
}

async function readJson(file: string): Promise<Json> {
  return JSON.parse(await readFile(file, "utf8"));
}

async function writeReports(report: ConformanceReport, flags: Flags): Promise<void> {
  if (flags.json) await writeFile(flags.json, renderJson(report));
  if (flags.junit) await writeFile(flags.junit, renderJunit(report));
  if (flags.html) await writeFile(flags.html, renderHtml(report));
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${wordsOf(error)}\n`);
  process.exitCode = 2;
}
