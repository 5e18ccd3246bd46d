// Splits the reports into problems and notes, and removes duplicates.

import type { BlankReason, BlockedReport } from "../../src/dev/page-protocol.ts";
import type { ViewProblem } from "../../src/frame/view-problem.ts";
import type { DevState } from "./dev-state.ts";
import type { ExplainedDiagnostic } from "./explanation.ts";

const MOST = 50;

/** Everything to read, in order. */
export interface ProblemList {
  reasons: readonly BlankReason[];
  /** What happened inside the view. */
  problems: readonly ViewProblem[];
  diagnostics: readonly ExplainedDiagnostic[];
  blocked: readonly BlockedReport[];
  notes: readonly ExplainedDiagnostic[];
  /** Tests of libraries whether they may run text as code. */
  probes: number;
  /** The number of problems. */
  count: number;
}

/** Sorts reports: why nothing is visible, failures, obstacles. */
export function problemsOf({
  diagnostics,
  blocked,
  reasons,
  problems: reported,
}: Pick<DevState, "diagnostics" | "blocked" | "reasons" | "problems">): ProblemList {
  // An address that doesn't respond explains the files that weren't loaded.
  const unreachable = reasons.filter(({ code }) => code === "unreachable");
  const problems = reported.filter(({ kind }) => kind !== "unloaded" || unreachable.length === 0);
  // The sandbox reports the same with the line to add; the host only forwards it.
  const isSaid = blocked.some(({ kind }) => kind === "rejected");
  const hasErrors = problems.some(({ level }) => level === "error");
  const told = diagnostics.filter(
    ({ code }) =>
      !(isSaid && code === "policy-rejected") &&
      // The agent reports the same, with the author's line.
      !(hasErrors && code === "view-error"),
  );
  const ofLevel = (level: ExplainedDiagnostic["level"]): ExplainedDiagnostic[] =>
    told.filter((one) => one.level === level);
  const shown = [...ofLevel("error"), ...ofLevel("warning")];
  const real = blocked.filter(({ isProbe }) => !isProbe);
  return {
    // What the agent saw is the reason; the source only suggests one.
    reasons: hasErrors ? unreachable : reasons,
    problems,
    diagnostics: shown,
    blocked: real,
    notes: ofLevel("info"),
    probes: blocked.length - real.length,
    // Reasons explain a failure that is counted already.
    count: shown.length + real.length + problems.length,
  };
}

/** The list with one more problem; the same error isn't listed twice. */
export function withProblem(
  problems: readonly ViewProblem[],
  next: ViewProblem,
): readonly ViewProblem[] {
  const isSame = (one: ViewProblem): boolean =>
    one.cause === next.cause &&
    one.place?.file === next.place?.file &&
    one.place?.line === next.place?.line;
  if (problems.some(isSame) || problems.length >= MOST) return problems;
  // A view that failed is blank because of that.
  if (next.kind === "blank" && problems.some(({ level }) => level === "error")) return problems;
  return [...problems.filter(({ kind }) => kind !== "blank" || next.level !== "error"), next];
}
