// The Host's own sentences, which it loads when something goes wrong. They are no part of what it
// publishes, and this page is bundled.

import type { Diagnostic } from "@vitrine/host";
import { explainDiagnostic } from "../../../host/src/sentences.ts";

/** A diagnostic, in words. */
export interface ExplainedDiagnostic {
  level: Diagnostic["level"];
  stage: Diagnostic["stage"];
  code: Diagnostic["code"];
  /** Milliseconds since the View was asked for. */
  elapsed: number;
  title: string;
  cause: string;
  remedy: string;
}

/** Puts what the Host reports into words. */
export function explain(diagnostic: Diagnostic): ExplainedDiagnostic {
  const { level, stage, code, elapsed } = diagnostic;
  const { title, cause, remedy } = explainDiagnostic(diagnostic);
  return { level, stage, code, elapsed, title, cause, remedy };
}
