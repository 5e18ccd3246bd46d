import type { AgentReport } from "./frame-agent.ts";
import type { SourcePlace } from "./source-place.ts";

/** A problem inside the view, for its author. */
export interface ViewProblem {
  kind: AgentReport["kind"];
  level: "error" | "warning";
  title: string;
  cause: string;
  place?: SourcePlace;
}
