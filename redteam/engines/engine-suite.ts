import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { CHANNELS } from "../channels/channel-table.ts";
import { QUICK_CHANNELS } from "../options.ts";
import { probeAllowlist } from "./allowlist-probe.ts";
import { startChromiumEngine } from "./chromium-engine.ts";
import { measureEgress } from "./egress-column.ts";
import { ENGINE_NAMES, type Engine, type EngineName } from "./engine.ts";
import { egressTable, enginePage, lastLine, scenarioLines } from "./engine-report.ts";
import { type Field, openField } from "./field.ts";
import { type Findings, fired, problemsOf } from "./findings.ts";
import { startFirefoxEngine } from "./firefox-engine.ts";
import { runScenarios, SCENARIOS } from "./scenario-run.ts";
import { startWebKitEngine } from "./webkit-engine.ts";

const PAGE = new URL("../../docs/engines.md", import.meta.url);
const USAGE = `redteam/engines/run.ts [options]
  --engine <name>  one of ${ENGINE_NAMES.join(", ")}; all of them when left out
  --quick          a representative subset; docs/engines.md is not written`;

const START: Record<EngineName, () => Promise<Engine>> = {
  chromium: startChromiumEngine,
  firefox: startFirefoxEngine,
  webkit: startWebKitEngine,
};

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

async function examine(name: EngineName, field: Field, quick: boolean): Promise<Findings> {
  const begun = performance.now();
  const engine = await START[name]();
  try {
    const scenarios = SCENARIOS.filter((scenario) => !quick || scenario.quick);
    const channels = CHANNELS.filter(({ id }) => !quick || QUICK_CHANNELS.includes(id));
    const findings: Findings = {
      name,
      version: engine.version,
      scenarios: await runScenarios(engine, field, scenarios),
      signs: await probeAllowlist(engine, field),
      egress: field.seesDns ? await measureEgress(engine, field, channels) : undefined,
    };
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    const proven = findings.egress ? `${fired(findings.egress)} channels fire` : "egress not run";
    print(`${name} ${engine.version}: ${proven}; ${seconds} s\n${scenarioLines(findings)}`);
    print(`Connection-Allowlist: ${JSON.stringify(findings.signs)}\n`);
    return findings;
  } finally {
    await engine.close();
  }
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { engine: { type: "string" }, quick: { type: "boolean", default: false } },
  });
  const names = ENGINE_NAMES.filter((name) => !values.engine || values.engine === name);
  if (names.length === 0) throw new Error(`There is no engine ${values.engine}.`);
  const field = await openField();
  const all: Findings[] = [];
  const problems: string[] = [];
  try {
    // At the same time: each waits for most of its own, and their evidence is kept apart by cell.
    const runs = names.map((name) => examine(name, field, values.quick));
    for (const [at, run] of (await Promise.allSettled(runs)).entries()) {
      if (run.status === "fulfilled") all.push(run.value);
      // An engine that is not there is said to be missing, and the others still run.
      else problems.push(`${names[at]}: not run: ${run.reason}`);
    }
  } finally {
    field.close();
  }
  problems.push(...all.flatMap(problemsOf));
  print(egressTable(all));
  if (!field.seesDns) print("EGRESS WAS NOT MEASURED: it needs root and mount namespaces.");
  const isComplete = !values.quick && field.seesDns && all.length === ENGINE_NAMES.length;
  if (isComplete) writeFileSync(PAGE, enginePage(all));
  for (const problem of problems) print(`FAILURE ${problem}`);
  print(lastLine(all));
  return problems.length === 0;
}

// Browsers are ended when the process exits, which a signal alone would skip.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error}\n${USAGE}\n`);
  process.exitCode = 2;
}
