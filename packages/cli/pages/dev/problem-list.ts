// What of all that was reported is a problem, what a note, and what was said twice.

import type { BlankReason, BlockedReport } from "../../src/dev/page-protocol.ts";
import type { DevState } from "./dev-state.ts";
import type { ExplainedDiagnostic } from "./explanation.ts";

/** Everything that is to be read, in the order in which to read it. */
export interface ProblemList {
  reasons: readonly BlankReason[];
  diagnostics: readonly ExplainedDiagnostic[];
  blocked: readonly BlockedReport[];
  notes: readonly ExplainedDiagnostic[];
  /** Questions of libraries whether they may run text as code. */
  probes: number;
  /** Of problems. */
  count: number;
}

/** Puts reports in order: why nothing is seen, what failed, what is in the way. */
export function problemsOf({
  diagnostics,
  blocked,
  reasons,
}: Pick<DevState, "diagnostics" | "blocked" | "reasons">): ProblemList {
  // The Sandbox tells the same with the line to add; the Host only passes it on.
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
