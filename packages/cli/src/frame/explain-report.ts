// Words for the reports of the agent.

import type { AgentReport, ErrorReport } from "./frame-agent.ts";
import { RESULTS, STARTS } from "./landmarks.ts";
import { isOfFramework, placeOfError, type ToPage } from "./report-place.ts";
import type { SourcePlace } from "./source-place.ts";
import type { ViewProblem } from "./view-problem.ts";
import type { ViewSource } from "./view-source.ts";

/** Explains a report; nothing for those that aren't problems. */
export function explainReport(
  report: AgentReport,
  source: ViewSource,
  toPage?: ToPage,
): ViewProblem | undefined {
  switch (report.kind) {
    case "error":
    case "rejection":
    case "logged":
      return explainError(report, source, toPage);
    case "unloaded":
      return {
        kind: report.kind,
        level: "error",
        title: `A <${report.tag}> could not be loaded`,
        cause: `${report.url || "It has no address"} did not load. A view has no other files: put it into the page.`,
        ...placed(source.find(/<script[^>]+src=|<link[^>]+href=|<img[^>]+src=|\.src\s*=/)),
      };
    case "blank":
      return {
        kind: report.kind,
        level: "error",
        title: "Nothing is visible",
        cause:
          "The view connected to the host but draws nothing: no text, no picture, no field. Render the result when it arrives, and a text before that.",
        ...placed(source.find(RESULTS, STARTS)),
      };
    // The sandbox reports what the policy blocked, with the line that allows it, and recognises tests of
    // libraries.
    default:
      return undefined;
  }
}

function explainError(
  report: ErrorReport,
  source: ViewSource,
  toPage?: ToPage,
): ViewProblem | undefined {
  const cause = report.message.replace(/^Uncaught (?:\(in promise\) )?/, "");
  const place = placeOfError(report, source, toPage);
  const isLogged = report.kind === "logged" && !isOfFramework(report, source, toPage);
  const title = {
    error: "The view threw an error",
    rejection: "The view did not handle a rejected promise",
    logged: isLogged ? "The view logged an error" : "The view threw an error",
  }[report.kind];
  return {
    kind: report.kind,
    level: isLogged ? "warning" : "error",
    title,
    cause,
    ...placed(place),
  };
}

function placed(place: SourcePlace | undefined): { place?: SourcePlace } {
  return place ? { place } : {};
}
