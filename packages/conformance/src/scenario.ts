import type { Force, Rule } from "./rule.ts";

/** What a scenario saw of one rule. */
export interface Finding {
  rule: string;
  /** `absent`: the product does nothing that the rule speaks of, so it could not be decided. */
  state: "holds" | "broken" | "absent";
  /** What was seen, in words; for `broken` and `absent` the reason. */
  note: string;
}

/** One procedure on the wire that decides one rule or several. */
export interface Scenario<Target> {
  /** What is done, in a few words. */
  title: string;
  /** The ids it decides. Whatever it leaves out of its findings counts as not run. */
  rules: readonly string[];
  /** Longest time it may take, if not the run's own. */
  timeout?: number;
  run(target: Target): Promise<readonly Finding[]>;
}

/**
 * The word on one rule: a MUST that is broken fails, a SHOULD or a description warns, a MAY informs.
 * `error` is a scenario that threw or ran out of time, which is a failure of its own.
 */
export type Verdict = "pass" | "fail" | "warn" | "info" | "not-run" | "error";

/** A rule with its verdict. */
export interface Outcome extends Rule {
  verdict: Verdict;
  note: string;
  /** The scenario that decided. */
  scenario: string;
}

/** Thrown by a scenario that cannot decide anything, with the reason. */
export class NotRun extends Error {
  override name = "NotRun";
}

/** The verdict that a finding comes to under a rule of this force. */
export function verdictOf(force: Force, state: Finding["state"]): Verdict {
  if (state === "absent") return "not-run";
  // Using a MAY and leaving it are both right: what is told is which.
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

/** Broken if there are faults, which are then told; otherwise it holds. */
export function judge(rule: string, faults: readonly string[], note: string): Finding {
  if (faults.length === 0) return holds(rule, note);
  const shown = faults.slice(0, 5).join("; ");
  const rest = faults.length > 5 ? `; and ${faults.length - 5} more` : "";
  return broken(rule, `${shown}${rest}`);
}
