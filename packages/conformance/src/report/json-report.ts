import type { ConformanceReport } from "../run.ts";
import { tally } from "./tally.ts";

/** The report with its counts. */
export function renderJson(report: ConformanceReport): string {
  return `${JSON.stringify({ ...report, counts: tally(report.outcomes) }, null, 2)}\n`;
}
