import type { ConformanceReport } from "../run.ts";
import { tally } from "./tally.ts";

/** The report as it is, with the counts. */
export function renderJson(report: ConformanceReport): string {
  return `${JSON.stringify({ ...report, counts: tally(report.outcomes) }, null, 2)}\n`;
}
