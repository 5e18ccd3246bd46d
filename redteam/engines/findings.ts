import type { Channel } from "../channels/channel.ts";
import type { Code } from "../egress-matrix.ts";
import type { AllowlistSigns } from "./allowlist-probe.ts";
import type { EgressColumn } from "./egress-column.ts";
import type { EngineName } from "./engine.ts";
import { type IsolationRow, isolationProblems } from "./isolation-run.ts";
import type { ScenarioResult } from "./scenario-run.ts";
import { SILENT_CONTROLS } from "./silent-controls.ts";

/** What one engine has shown. */
export interface Shown {
  readonly name: EngineName;
  readonly version: string;
  readonly scenarios: readonly ScenarioResult[];
}

/** All that is known about one engine and the sandbox after a run. */
export interface Findings extends Shown {
  /** Absent where names of the attacker do not resolve. */
  readonly egress: EgressColumn | undefined;
  readonly signs: AllowlistSigns;
  readonly isolation: readonly IsolationRow[];
}

const LONGEST_ERROR = 50;
const OUT: readonly Code[] = ["L", "d"];

export function controlCode({ matrix }: EgressColumn, channel: Channel): Code {
  return matrix.code("control-http", channel);
}

/** What the sandbox did; `n` where silence proves nothing because the control was silent too. */
export function sandboxCode(column: EgressColumn, channel: Channel): Code {
  const code = column.matrix.code("tier-2", channel);
  if (OUT.includes(code) || OUT.includes(controlCode(column, channel))) return code;
  return "n";
}

export function withCode(column: EgressColumn, code: Code): string[] {
  return column.channels.filter((one) => sandboxCode(column, one) === code).map(({ id }) => id);
}

/** Channels that are proven able to get out of this engine. */
export function fired(column: EgressColumn): number {
  return column.channels.filter((one) => OUT.includes(controlCode(column, one))).length;
}

/** Why a channel proves nothing about the sandbox. */
export function reasonOf(column: EgressColumn, channel: Channel): string {
  // Its beginning is enough; the rest quotes our source and addresses that differ in every run.
  const error = column.errors.get(channel)?.replaceAll(/\s+/g, " ").slice(0, LONGEST_ERROR);
  if (controlCode(column, channel) === "!") return "the view did not start";
  return error ? `fails without any defence: ${error}` : "silent without any defence";
}

export function held({ scenarios }: Shown): number {
  return scenarios.filter(({ complaints, lacks }) => complaints.length + lacks.length === 0).length;
}

/** Scenarios that failed for no other reason than that the engine cannot do it. */
export function lacking({ scenarios }: Shown): string[] {
  return scenarios.flatMap(({ scenario, complaints, lacks }) =>
    complaints.length === 0 && lacks.length > 0 ? [scenario.id] : [],
  );
}

export function complaintsOf({ name, scenarios }: Shown): string[] {
  return scenarios.flatMap(({ scenario, complaints }) =>
    complaints.map((text) => `${name}: ${scenario.id}: ${text}`),
  );
}

/**
 * Why the run failed. Only Chromium promises that nothing gets out; the other two are measured, and
 * a control that fell silent measures nothing.
 */
export function problemsOf(findings: Findings): string[] {
  const { name, egress, isolation } = findings;
  const problems = [...complaintsOf(findings), ...isolationProblems(name, isolation)];
  if (!egress) return problems;
  const silent = egress.matrix.silent().filter(({ id }) => !SILENT_CONTROLS[name].includes(id));
  problems.push(...silent.map(({ id }) => `${name}: the control of ${id} was silent`));
  if (name === "chromium") {
    const leaks = [...withCode(egress, "L"), ...withCode(egress, "d")];
    if (leaks.length > 0) problems.push(`${name}: got out: ${leaks.join(", ")}`);
  }
  return problems;
}
