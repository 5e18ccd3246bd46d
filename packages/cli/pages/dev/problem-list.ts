// Splits the reports into problems and notes, and removes duplicates.

import type { BlankReason, BlockedReport } from "../../src/dev/page-protocol.ts";
import type { DevState } from "./dev-state.ts";
import type { ExplainedDiagnostic } from "./explanation.ts";

/** Everything to read, in order. */
export interface ProblemList {
  reasons: readonly BlankReason[];
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
}: Pick<DevState, "diagnostics" | "blocked" | "reasons">): ProblemList {
  // The sandbox reports the same with the line to add; the host only forwards it.
  const isSaid = blocked.some(({ kind }) => kind === "rejected");
  const told = diagnostics.filter(({ code }) => !isSaid || code !== "policy-rejected");
  const ofLevel = (level: ExplainedDiagnostic["level"]): ExplainedDiagnostic[] =>
    told.filter((one) => one.level === level);
  const shown = [...ofLevel("error"), ...ofLevel("warning")];
  const real = blocked.filter(({ isProbe }) => !isProbe);
  return {
    reasons,
    diagnostics: shown,
    blocked: real,
    notes: ofLevel("info"),
    probes: blocked.length - real.length,
    // Reasons explain a failure that is counted already.
    count: shown.length + real.length,
  };
}
