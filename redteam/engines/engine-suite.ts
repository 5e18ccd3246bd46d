import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { CHANNELS } from "../channels/channel-table.ts";
import { QUICK_CHANNELS } from "../options.ts";
import { probeAllowlist } from "./allowlist-probe.ts";
import { startChromiumEngine } from "./chromium-engine.ts";
import { measureEgress } from "./egress-column.ts";
import { ENGINE_NAMES, type Engine, type EngineName } from "./engine.ts";
import {
  egressTable,
  enginePage,
  hostLine,
  hostSection,
  lastLine,
  readHostSection,
  replaceIsolation,
  scenarioLines,
} from "./engine-report.ts";
import { type Field, openField } from "./field.ts";
import { type Findings, fired, problemsOf, type Shown } from "./findings.ts";
import { startFirefoxEngine } from "./firefox-engine.ts";
import { examineHost, type HostRunOptions } from "./host-run.ts";
import { isolationLines, runIsolation } from "./isolation-run.ts";
import { runScenarios, SCENARIOS } from "./scenario-run.ts";
import { startWebKitEngine } from "./webkit-engine.ts";

const PAGE = new URL("../../docs/engines.md", import.meta.url);
const PARTS = ["sandbox", "scenarios", "isolation", "egress", "host"] as const;
const USAGE = `redteam/engines/run.ts [options]
  --engine <name>  one of ${ENGINE_NAMES.join(", ")}; all of them when left out
  --only <part>    one of ${PARTS.join(", ")}; sandbox is all but host
  --scenario <id>  some scenarios, separated by commas
  --quick          a representative subset; docs/engines.md is not written`;

const START: Record<EngineName, (field: Field) => Promise<Engine>> = {
  chromium: ({ certificate }) => startChromiumEngine(certificate),
  firefox: () => startFirefoxEngine(),
  webkit: () => startWebKitEngine(),
};

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Which part of a run was asked for. */
interface Choice {
  readonly only?: string | undefined;
  readonly scenario?: string | undefined;
  readonly quick: boolean;
}

async function examine(name: EngineName, field: Field, choice: Choice): Promise<Findings> {
  const { only, scenario, quick } = choice;
  const wants = (part: (typeof PARTS)[number]) => ["sandbox", undefined, part].includes(only);
  const begun = performance.now();
  const engine = await START[name](field);
  try {
    const scenarios = SCENARIOS.filter((one) =>
      scenario ? scenario.split(",").includes(one.id) : wants("scenarios") && (!quick || one.quick),
    );
    const channels = CHANNELS.filter(({ id }) => !quick || QUICK_CHANNELS.includes(id));
    const findings: Findings = {
      name,
      version: engine.version,
      scenarios: await runScenarios(engine, field, scenarios),
      isolation: quick || scenario || !wants("isolation") ? [] : await runIsolation(engine, field),
      signs: await probeAllowlist(engine, field),
      egress:
        field.seesDns && !scenario && wants("egress")
          ? await measureEgress(engine, field, channels)
          : undefined,
    };
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    const proven = findings.egress ? `${fired(findings.egress)} channels fire` : "egress not run";
    print(`${name} ${engine.version}: ${proven}; ${seconds} s\n${scenarioLines(findings)}`);
    print(isolationLines(findings.isolation));
    print(`Connection-Allowlist: ${JSON.stringify(findings.signs)}\n`);
    return findings;
  } finally {
    await engine.close();
  }
}

/** At the same time: each waits for most of its own, and their evidence is kept apart by cell. */
async function examineAll(
  names: readonly EngineName[],
  field: Field,
  choice: Choice,
  problems: string[],
): Promise<Findings[]> {
  const all: Findings[] = [];
  const runs = names.map((name) => examine(name, field, choice));
  for (const [at, run] of (await Promise.allSettled(runs)).entries()) {
    if (run.status === "fulfilled") all.push(run.value);
    // An engine that is not there is said to be missing, and the others still run.
    else problems.push(`${names[at]}: not run: ${run.reason}`);
  }
  problems.push(...all.flatMap(problemsOf));
  print(egressTable(all));
  if (!field.seesDns) print("EGRESS WAS NOT MEASURED: it needs root and mount namespaces.");
  print(`${lastLine(all)}\n`);
  return all;
}

/** One after the other: a user who types is disturbed by a machine that has no time. */
async function examineHosts(
  names: readonly EngineName[],
  field: Field,
  options: HostRunOptions,
  problems: string[],
): Promise<Shown[]> {
  const hosts: Shown[] = [];
  for (const name of names) {
    const found = await examineHost(name, field, options);
    print(`${found.report}\n`);
    problems.push(...found.problems);
    if (found.shown) hosts.push(found.shown);
  }
  return hosts;
}

/** The page of the documentation; sections that were not run stay as they are. */
function writePage(
  all: readonly Findings[] | undefined,
  hosts: readonly Shown[],
  only: string | undefined,
): void {
  const isWhole = (found: readonly unknown[]): boolean => found.length === ENGINE_NAMES.length;
  const before = readFileSync(PAGE, "utf8");
  if (all && isWhole(all) && only === "isolation") {
    writeFileSync(PAGE, replaceIsolation(before, all));
    return;
  }
  const host = isWhole(hosts) ? hostSection(hosts) : readHostSection(before);
  if (all && isWhole(all)) writeFileSync(PAGE, enginePage(all, host));
  if (!all)
    writeFileSync(
      PAGE,
      before.replace(readHostSection(before), () => host),
    );
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      engine: { type: "string" },
      only: { type: "string" },
      scenario: { type: "string" },
      quick: { type: "boolean", default: false },
    },
  });
  const { only } = values;
  if (only !== undefined && !PARTS.some((part) => part === only)) {
    throw new Error(`There is no part ${only}.`);
  }
  const names = ENGINE_NAMES.filter((name) => !values.engine || values.engine === name);
  if (names.length === 0) throw new Error(`There is no engine ${values.engine}.`);
  const field = await openField();
  const problems: string[] = [];
  try {
    const all = only === "host" ? undefined : await examineAll(names, field, values, problems);
    const isHostWanted = only === undefined || only === "host";
    const hosts = isHostWanted ? await examineHosts(names, field, values, problems) : [];
    const isPart = values.quick || values.scenario !== undefined || (all && !field.seesDns);
    const isWritten = isHostWanted || only === "sandbox" || only === "isolation";
    if (!isPart && isWritten) writePage(all, hosts, only);
    for (const problem of problems) print(`FAILURE ${problem}`);
    if (isHostWanted) print(hostLine(hosts));
  } finally {
    field.close();
  }
  return problems.length === 0;
}

// Playwright throws this where nobody can catch it, when a frame disappears while it reads its page.
process.on("uncaughtException", (error) => {
  if (error.message === "Frame has been detached.") return;
  process.stderr.write(`${error.stack}\n`);
  process.exit(2);
});

// Browsers are ended when the process exits, which a signal alone would skip.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error}\n${USAGE}\n`);
  process.exitCode = 2;
}
