import type { Force, Rule } from "./rule.ts";

/** A scenario's result for one rule. */
export interface Finding {
  rule: string;
  /** `absent`: the product doesn't use the feature of the rule, so it could not be decided. */
  state: "holds" | "broken" | "absent";
  /** The observation as text; for `broken` and `absent` the reason. */
  note: string;
}

/** One procedure on the wire that decides one or several rules. */
export interface Scenario<Target> {
  /** The procedure, in a few words. */
  title: string;
  /** The ids it decides. Ids without a finding count as not run. */
  rules: readonly string[];
  /** Its own time limit, if not the run's. */
  timeout?: number;
  run(target: Target): Promise<readonly Finding[]>;
}

/**
 * The verdict on one rule: a broken MUST fails, a SHOULD or a description warns, a MAY informs.
 * `error` is a scenario that threw or timed out, which counts as a failure.
 */
export type Verdict = "pass" | "fail" | "warn" | "info" | "not-run" | "error";

/** A rule with its verdict. */
export interface Outcome extends Rule {
  verdict: Verdict;
  note: string;
  /** The scenario that decided. */
  scenario: string;
}

/** Thrown by a scenario that can't decide anything, with the reason. */
export class NotRun extends Error {
  override name = "NotRun";
}

/** The verdict of a finding under a rule of this strength. */
export function verdictOf(force: Force, state: Finding["state"]): Verdict {
  if (state === "absent") return "not-run";
  // Using a MAY or not are both right: the report says which.
  if (force === "may") return "info";
  if (state === "holds") return "pass";
  return force === "must" || force === "must-not" ? "fail" : "warn";
}

export function holds(rule: string, note: string): Finding {
  return { rule, state: "holds", note };
}

export function broken(rule: string, note: string): Finding {
  return { rule, state: "broken", note };
}

export function absent(rule: string, note: string): Finding {
  return { rule, state: "absent", note };
}

/** Broken if there are faults, which are then listed; otherwise it holds. */
export function judge(rule: string, faults: readonly string[], note: string): Finding {
  if (faults.length === 0) return holds(rule, note);
  const shown = faults.slice(0, 5).join("; ");
  const rest = faults.length > 5 ? `; and ${faults.length - 5} more` : "";
  return broken(rule, `${shown}${rest}`);
}
