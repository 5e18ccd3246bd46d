import { writeFileSync } from "node:fs";
import { catalogueSummary, coverage, NEVER_FIRED } from "./catalogue.ts";
import { LOOK_UPS } from "./channels/channel-table.ts";
import type { CheckResult } from "./check-run.ts";
import type { EgressMatrix } from "./egress-matrix.ts";
import type { RunTime } from "./run-time.ts";
import type { StageName } from "./stage/deployment.ts";

/** The tiers whose views have an origin: what is promised is promised for these. */
const PROMISED: readonly StageName[] = ["tier-1", "tier-2"];
const SANDBOXED: readonly StageName[] = [...PROMISED, "tier-3"];
/** With fewer controls than this, a negative result proves too little. */
const LEAST_FIRED = 70;

const LEGEND = `\`L\` bytes reached the attacker, \`d\` only a DNS query did, \`.\` nothing did, \`K\` nothing did and the view was stopped, \`n\` not run, \`!\` the view did not start.
\`c2\`, \`c1\`: controls without any policy over HTTP and HTTPS; a channel that is silent there proves nothing.
\`T2\`: tier 2 (names below localhost). \`T3\`: tier 3 (one origin, opaque views). \`T1\`: tier 1 (own registrable domain, HTTPS).`;

/** What a run found out. */
export interface Findings {
  readonly chromium: string;
  readonly seesDns: boolean;
  /** The whole table was run, so that its figures can be held against the promise. */
  readonly complete: boolean;
  readonly matrix: EgressMatrix;
  readonly checks: readonly CheckResult[];
  readonly time: RunTime;
}

/** Why a run has failed; empty when all holds. */
export function failures(findings: Findings): string[] {
  const { matrix, checks, complete } = findings;
  const stages = SANDBOXED.filter((stage) => matrix.stages.includes(stage));
  const promised = PROMISED.filter((stage) => matrix.stages.includes(stage));
  const fired = matrix.fired(promised).length;
  return [
    ...stages.flatMap((stage) => [
      ...matrix.leaks(stage).map(({ id }) => `${stage}: ${id} leaks`),
      ...matrix.lookups(stage).map(({ id }) => `${stage}: ${id} asks DNS`),
      ...matrix.notStarted(stage).map(({ id }) => `${stage}: the view of ${id} did not start`),
    ]),
    ...newlySilent(findings).map((id) => `the control of ${id} was silent: its dots say nothing`),
    ...(complete && fired < LEAST_FIRED ? [`only ${fired} controls fired`] : []),
    ...checks
      .filter(({ complaints }) => complaints.length > 0)
      .map(({ stage, check, complaints }) => `${stage}: ${check.id}: ${complaints.join("; ")}`),
  ];
}

/** Channels that used to fire without a sandbox and did not this time: their dots say nothing. */
function newlySilent({ matrix, seesDns }: Findings): string[] {
  const known = seesDns ? NEVER_FIRED : [...NEVER_FIRED, ...LOOK_UPS];
  return matrix
    .silent()
    .map(({ id }) => id)
    .filter((id) => !known.includes(id));
}

/** The list of the silent ones is out of date: these fire now, so their dots say something. */
export function newlyFired({ matrix }: Findings): string[] {
  const silent = matrix.silent().map(({ id }) => id);
  const ran = matrix.channels.map(({ id }) => id);
  return NEVER_FIRED.filter((id) => ran.includes(id) && !silent.includes(id));
}

export function egressLine({ matrix, seesDns }: Findings): string {
  const count = (stages: readonly StageName[], which: "leaks" | "lookups") =>
    stages.reduce((sum, stage) => sum + matrix[which](stage).length, 0);
  const figures = (stages: readonly StageName[]) =>
    `${count(stages, "leaks")} leaks, ${seesDns ? count(stages, "lookups") : "NOT MEASURED"} DNS queries`;
  const of = (stages: readonly StageName[]) =>
    `in ${matrix.fired(stages).length} of ${matrix.channels.length} channels whose control fired`;
  const promised = PROMISED.filter((stage) => matrix.stages.includes(stage));
  const third = matrix.stages.includes("tier-3")
    ? `tier 3: ${figures(["tier-3"])} ${of(["tier-3"])}\n`
    : "";
  return `${third}egress: ${figures(promised)} ${of(promised)}`;
}

export function checkLines(checks: readonly CheckResult[]): string {
  return checks
    .map(({ stage, check, complaints, earlier, milliseconds }) => {
      const verdict = complaints.length === 0 ? "ok  " : "FAIL";
      const time = `${(milliseconds / 1000).toFixed(1)} s`;
      const why = [...earlier.map((said, at) => `try ${at + 1}: ${said}`), ...complaints]
        .map((text) => `\n       ${text}`)
        .join("");
      return `${verdict} ${stage} ${check.id.padEnd(28)} ${time}  ${check.title}${why}`;
    })
    .join("\n");
}

/** The matrix as a page of the documentation. */
export function writeMatrix(findings: Findings, path: URL): void {
  const { matrix, chromium, checks } = findings;
  const silent = matrix.channels.filter(
    (channel) => !matrix.fired(PROMISED).some(({ id }) => id === channel.id),
  );
  const page = `# Egress matrix

Written by \`npm run redteam\`; do not edit. ${new Date().toISOString().slice(0, 10)}, Chromium ${chromium}, headless, loopback only.

${LEGEND}

\`\`\`
${matrix.table()}
\`\`\`

\`\`\`
${egressLine(findings)}
\`\`\`

The controls' views have an origin. In \`T3\` some channels are silent because a view without origin cannot even try them (\`nav_js_then\`, \`iframe_blank_realm\`, \`rtc_nested_realm\`, \`sharedworker_blob\`, \`parent_realm\`).

Silent in a control, so untested: ${silent.map(({ id }) => `\`${id}\``).join(" ")}.

## Checks

${checks.filter(({ complaints }) => complaints.length === 0).length} of ${checks.length} hold${retried(checks)}.

| check | where | what holds | catalogue |
|---|---|---|---|
${checkRows(checks)}

## Attack catalogue

${catalogueSummary()}.

| # | attack | automated by | not here |
|---|---|---|---|
${catalogueRows()}
`;
  writeFileSync(path, page);
}

/** Checks of time that held only when they were tried again. */
function retried(checks: readonly CheckResult[]): string {
  const again = checks.filter(({ earlier }) => earlier.length > 0);
  const names = again.map(({ check, stage, earlier }) => {
    return `\`${check.id}\` on ${stage} in try ${earlier.length + 1}`;
  });
  return names.length > 0 ? `; of those that measure time, ${names.join(", ")}` : "";
}

function checkRows(checks: readonly CheckResult[]): string {
  const byId = Map.groupBy(checks, ({ check }) => check.id);
  return [...byId.values()]
    .map((results) => {
      const [{ check } = {}] = results;
      const where = results
        .map(({ stage, complaints }) => `${stage}${complaints.length > 0 ? " **fails**" : ""}`)
        .sort()
        .join(", ");
      return `| \`${check?.id}\` | ${where} | ${check?.title} | ${check?.entries.join(", ")} |`;
    })
    .join("\n");
}

function catalogueRows(): string {
  return coverage()
    .map(({ attack, here, elsewhere, reason, owner }) => {
      const by = [...here, ...elsewhere].map((name) => `\`${name}\``).join(" ");
      const note = [owner && `${owner}'s`, reason].filter(Boolean).join(": ");
      return `| ${attack.section}${attack.id} | ${attack.attack} | ${by} | ${note} |`;
    })
    .join("\n");
}
