import type { Diagnostic } from "@vitrine/host";
import { explainDiagnostic } from "@vitrine/host/diagnostics";
import { nearest } from "../../src/nearest.ts";

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

/** Explains the host's diagnostics; `tools` are the names of the server's tools. */
export function explain(
  diagnostic: Diagnostic,
  tools: readonly string[] = [],
): ExplainedDiagnostic {
  const { level, stage, code, elapsed } = diagnostic;
  const { title, cause, remedy } = explainDiagnostic(diagnostic);
  const misspelt = code === "refused" ? UNKNOWN_TOOL.exec(cause)?.[1] : undefined;
  if (misspelt === undefined) return { level, stage, code, elapsed, title, cause, remedy };
  const meant = nearest(misspelt, tools);
  return {
    level,
    stage,
    code,
    elapsed,
    title: "The view calls a tool that doesn't exist.",
    cause: `The server has no tool "${misspelt}".`,
    remedy: meant
      ? `Did you mean "${meant}"? Correct the name in the view.`
      : "Correct the name in the view, or add the tool to the server.",
  };
}

// The host rejects such a call as it rejects one that isn't allowed, with this sentence.
const UNKNOWN_TOOL = /The server lists no tool named "([^"]*)"/;
