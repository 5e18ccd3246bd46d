import { catalogueComplaints, catalogueSummary } from "./catalogue.ts";
import { CHANNELS } from "./channels/channel-table.ts";
import { runChecks } from "./check-run.ts";
import { CHECKS } from "./checks/check-table.ts";
import { EgressMatrix } from "./egress-matrix.ts";
import { arenaOf, runEgress } from "./egress-run.ts";
import { ignoreLostFrames } from "./lab/crash-proof-page.ts";
import { type Laboratory, openLaboratory } from "./lab/laboratory.ts";
import { findDefences, runMutations } from "./mutation-run.ts";
import { type Options, QUICK_CHANNELS, readOptions, USAGE } from "./options.ts";
import {
  checkLines,
  egressLine,
  type Findings,
  failures,
  newlyFired,
  writeMatrix,
} from "./report.ts";
import { startClock, TIME_BOUNDS, timeLine, timeProblems } from "./run-time.ts";
import { openTheatre, type Theatre } from "./stage/theatre.ts";

const MATRIX = new URL("../docs/egress-matrix.md", import.meta.url);
const NO_DNS =
  "DNS LOOK-UPS WERE NOT CAPTURED (needs root and mount namespaces): a dot means no bytes, not no query.";

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Takes defences away one after the other; true when each loss was noticed. */
async function mutate(laboratory: Laboratory, names: readonly string[]): Promise<boolean> {
  const defences = findDefences(names);
  const begun = performance.now();
  let unnoticed = 0;
  await runMutations(laboratory, defences, ({ defence, noticed, missed }) => {
    if (missed.length > 0) unnoticed += 1;
    print(`${missed.length > 0 ? "MISSED " : "noticed"} ${defence.name} (${defence.stage})`);
    for (const text of noticed) print(`        ${text}`);
    for (const id of missed) print(`        ${id} did not notice`);
  });
  const figure = `${defences.length - unnoticed} of ${defences.length} removals noticed`;
  print(`mutations: ${figure}; ${seconds(begun)} s`);
  return unnoticed === 0;
}

function seconds(begun: number): string {
  return ((performance.now() - begun) / 1000).toFixed(0);
}

async function attack(laboratory: Laboratory, theatre: Theatre, options: Options) {
  const isChosen = (id: string, isQuick: boolean) =>
    options.only.length > 0 ? options.only.includes(id) : !options.quick || isQuick;
  const channels = CHANNELS.filter(({ id }) => isChosen(id, QUICK_CHANNELS.includes(id)));
  const checks = CHECKS.filter(({ id, quick }) => isChosen(id, quick === true)).map((check) =>
    options.stage ? { ...check, stages: [options.stage] } : check,
  );
  if (channels.length + checks.length === 0) throw new Error("Nothing has one of these ids.");
  const everywhere = [...theatre.controls, ...theatre.tiers];
  // Half of the stages find most problems: the fast subset runs tier 2 and its control for all.
  const stages = options.quick
    ? everywhere.filter(({ name }) => name === "control-http" || name === "tier-2")
    : everywhere;
  const tiers = options.quick
    ? theatre.tiers.filter(({ name }) => name === "tier-2" || name === "tier-3")
    : theatre.tiers;
  const clock = startClock();
  const attempts = await runEgress(arenaOf(laboratory), stages, channels);
  clock.endEgress();
  const results = await runChecks(laboratory, { ...theatre, tiers }, checks);
  const isPart = options.only.length > 0;
  const bound = options.quick ? TIME_BOUNDS.quick : TIME_BOUNDS.complete;
  const findings: Findings = {
    chromium: laboratory.chromium.version,
    seesDns: laboratory.seesDns,
    complete: !options.quick && !isPart,
    matrix: new EgressMatrix(attempts, (cell) => laboratory.evidence.of(cell), laboratory.seesDns),
    checks: results,
    time: clock.end(isPart ? undefined : bound),
  };
  return findings;
}

function report(findings: Findings, options: Options): boolean {
  const { matrix, checks, seesDns, complete, chromium, time } = findings;
  const problems = [
    ...failures(findings),
    ...(options.requireDns && !seesDns ? ["DNS look-ups could not be captured"] : []),
    ...catalogueComplaints(),
    ...timeProblems(time),
  ];
  if (matrix.channels.length > 0) print(matrix.table());
  if (checks.length > 0) print(checkLines(checks));
  if (complete) writeMatrix(findings, MATRIX);
  for (const problem of problems) print(`FAILURE ${problem}`);
  for (const id of newlyFired(findings)) print(`NOTE ${id} fires now: take it from NEVER_FIRED`);
  if (!seesDns) print(NO_DNS);
  print(catalogueSummary());
  const held = checks.filter(({ complaints }) => complaints.length === 0).length;
  print(`checks: ${held} of ${checks.length} hold; Chromium ${chromium}`);
  if (matrix.channels.length > 0) print(egressLine(findings));
  print(timeLine(time));
  return problems.length === 0;
}

async function main(): Promise<boolean> {
  const options = readOptions(process.argv.slice(2));
  const laboratory = await openLaboratory();
  try {
    if (options.without.length > 0) return await mutate(laboratory, options.without);
    const theatre = await openTheatre(laboratory.certificate);
    try {
      return report(await attack(laboratory, theatre, options), options);
    } finally {
      theatre.close();
    }
  } finally {
    await laboratory.close();
  }
}

// Exits, so that the browser ends as well: no other process tracks it.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

ignoreLostFrames();
try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error}\n${USAGE}\n`);
  // At once: a stage that could not be set up leaves its servers open, which would wait forever.
  process.exit(2);
}
