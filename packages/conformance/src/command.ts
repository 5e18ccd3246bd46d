// The program behind `npm run conformance` and `vitrine conformance`: parses the command line, runs,
// prints and writes reports.

import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { printableLines } from "@vitrine/protocol/printable";
import { wordsOf } from "./deadline.ts";
import type { HostDriver } from "./host/driver.ts";
import type { Json } from "./json.ts";
import { renderHtml } from "./report/html.ts";
import { renderJson } from "./report/json-report.ts";
import { renderJunit } from "./report/junit.ts";
import { renderMatrix } from "./report/matrix.ts";
import { holdsThroughout, renderOverview } from "./report/overview.ts";
import {
  type ConformanceOptions,
  type ConformanceReport,
  conforms,
  runConformance,
} from "./run.ts";
import type { BrowserOptions } from "./targets/browser.ts";
import type { HostTargetOptions } from "./targets/host-target.ts";
import type { ServerTargetOptions } from "./targets/server-target.ts";
import type { ViewTargetOptions } from "./targets/view-target.ts";

const USAGE = `conformance server  --command "node server.mjs" | --url https://example.com/mcp
conformance view    --file view.html | (--command … | --url …) [--uri ui://name/view.html]
conformance host    --url "https://host.example/?server={server}&tool={tool}&arguments={arguments}"
conformance sandbox --url https://sandbox.example/ --host https://host.example
conformance [self]     our own products, all four roles
conformance official   the official SDK and three of its example servers

  --calls file.json       arguments by tool name
  --calling safe|all|none tools to call; safe skips tools that change things
  --csp file.json         the view's _meta.ui.csp, for --file
  --approve, --deny css   selectors of the buttons that answer a host's consent dialog
  --driver file.mjs       a module that operates the host: exports \`driver\`
  --rules SRV-01,SRV-02   only check these rules
  --json, --junit, --html file   also write the report to a file
  --chromium program      the browser; default: $CHROMIUM, or the installed one

Exit codes: 0 every MUST holds, 1 a MUST is broken or a scenario failed to run, 2 could not run
`;

const OPTIONS = {
  command: { type: "string" },
  url: { type: "string" },
  file: { type: "string" },
  uri: { type: "string" },
  calls: { type: "string" },
  calling: { type: "string" },
  csp: { type: "string" },
  host: { type: "string" },
  approve: { type: "string" },
  deny: { type: "string" },
  driver: { type: "string" },
  rules: { type: "string" },
  json: { type: "string" },
  junit: { type: "string" },
  html: { type: "string" },
  chromium: { type: "string" },
  help: { type: "boolean" },
} as const;

type Flags = { [Name in Exclude<keyof typeof OPTIONS, "help">]?: string };

type Given = Flags & CommandOptions;

/** What a command line can't carry. */
export interface CommandOptions {
  /** Headers for a server at an address; they may be secrets. */
  headers?: Headers | undefined;
}

/** Runs a command line. Returns the exit code; throws if it can't run. */
export async function runCommand(
  line: readonly string[],
  { headers }: CommandOptions = {},
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...line],
    options: OPTIONS,
    allowPositionals: true,
  });
  const { help, ...flags } = values;
  if (help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [role = "self"] = positionals;
  if (role === "self" || role === "official") return runOurs(role, flags);
  const report = await runConformance(await readOptions(role, { ...flags, headers }));
  process.stdout.write(renderMatrix(report, { colour: process.stdout.isTTY === true }));
  await writeReports(report, flags);
  return conforms(report) ? 0 : 1;
}

/** Products that are built from these sources, and so aren't in the package. */
async function runOurs(which: "self" | "official", flags: Flags): Promise<number> {
  const products = new URL("../test/self/run.ts", import.meta.url);
  const { runSelf, runOfficial, findServers } = await import(products.href).catch(() => {
    throw new Error(`"${which}" only runs in the repository. Choose a role: ${ROLES.join(", ")}.`);
  });
  const browser = readBrowser(flags);
  const colour = process.stdout.isTTY === true;
  const tell = (report: ConformanceReport): void => {
    process.stdout.write(`${renderMatrix(report, { colour })}\n`);
  };
  const reports: ConformanceReport[] =
    which === "self"
      ? await runSelf(browser, tell)
      : await runOfficial({ ...browser, modules: await findServers() }, tell);
  process.stdout.write(renderOverview(reports));
  // Errors of the tested product are findings, not our failures.
  return which === "official" || holdsThroughout(reports) ? 0 : 1;
}

const ROLES = ["server", "view", "host", "sandbox"];

async function readOptions(role: string, flags: Given): Promise<ConformanceOptions> {
  const rules = flags.rules ? { rules: flags.rules.split(",") } : {};
  switch (role) {
    case "server":
      return { role, target: await readServer(flags), ...rules };
    case "view":
      return { role, target: await readView(flags), ...rules };
    case "host":
      return { role, target: await readHost(flags), ...rules };
    case "sandbox": {
      const { host } = flags;
      const target = { url: needUrl(flags), ...(host && { host }), ...readBrowser(flags) };
      return { role, target, ...rules };
    }
    default:
      throw new Error(`Unknown role "${role}". Choose from: ${ROLES.join(", ")}.`);
  }
}

async function readView(flags: Given): Promise<ViewTargetOptions> {
  const { file, uri, csp } = flags;
  return {
    ...(file ? { file } : { server: await readServer(flags), ...(uri && { uri }) }),
    ...(csp && { csp: await readJson(csp) }),
    ...readBrowser(flags),
  };
}

async function readHost(flags: Flags): Promise<HostTargetOptions> {
  const { approve, deny, driver } = flags;
  return {
    url: needUrl(flags),
    ...(approve && { approve }),
    ...(deny && { deny }),
    ...(driver && { driver: await readDriver(driver) }),
    ...readBrowser(flags),
  };
}

function readBrowser({ chromium }: Flags): BrowserOptions {
  return chromium ? { chromium } : {};
}

function needUrl({ url }: Flags): string {
  if (!url) throw new Error("The address is missing. Pass --url.");
  return url;
}

async function readDriver(file: string): Promise<HostDriver> {
  const { driver } = await import(pathToFileURL(resolve(file)).href);
  if (typeof driver?.open !== "function")
    throw new Error(`${file} doesn't export a driver with open().`);
  return driver;
}

async function readServer({
  command,
  url,
  calls,
  calling,
  headers,
}: Given): Promise<ServerTargetOptions> {
  if (calling !== undefined && !["safe", "all", "none"].includes(calling)) {
    throw new Error(`--calling is "${calling}". Use safe, all or none.`);
  }
  return {
    ...(command && { command }),
    ...(url && { url }),
    ...(url && headers && { headers }),
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.exitCode = await runCommand(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${printableLines(wordsOf(error))}\n`);
    process.exitCode = 2;
  }
}
