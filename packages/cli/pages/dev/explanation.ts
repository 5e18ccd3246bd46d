import type { Diagnostic } from "@vitrine/host";
import { explainDiagnostic } from "@vitrine/host/diagnostics";

/** A diagnostic with its explanation. */
export interface ExplainedDiagnostic {
  level: Diagnostic["level"];
  stage: Diagnostic["stage"];
  code: Diagnostic["code"];
  /** Milliseconds since the view was requested. */
  elapsed: number;
  title: string;
  cause: string;
  remedy: string;
}

/** Explains the host's diagnostics. */
export function explain(diagnostic: Diagnostic): ExplainedDiagnostic {
  const { level, stage, code, elapsed } = diagnostic;
  const { title, cause, remedy } = explainDiagnostic(diagnostic);
  return { level, stage, code, elapsed, title, cause, remedy };
}
