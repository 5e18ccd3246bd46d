import { printable } from "@vitrine/protocol/printable";
import type { ConformanceReport } from "../run.ts";
import type { Outcome } from "../scenario.ts";
import { summaryOf, tally } from "./tally.ts";

/** Several reports in one matrix: a line for each, and notes on single rules. */
export function renderOverview(reports: readonly ConformanceReport[]): string {
  const all = reports.flatMap(({ outcomes }) => outcomes);
  const rows = reports.map(
    ({ role, subject, outcomes }) =>
      `${role.padEnd(8)} ${String(outcomes.length).padStart(3)} rules  ${summaryOf(outcomes).padEnd(44)} ${printable(subject)}`,
  );
  const open = all.filter(({ verdict }) => verdict !== "pass" && verdict !== "info");
  const notes = open.map(
    ({ id, force, verdict, note }) =>
      `${id.padEnd(8)} ${force.padEnd(10)} ${verdict.padEnd(8)} ${printable(note)}`,
  );
  const { pass, info, "not-run": left } = tally(all);
  const sum = `${pass + info + left} of ${all.length} rules: ${summaryOf(all)}`;
  return [...rows, "", ...notes, ...(notes.length > 0 ? [""] : []), sum, ""].join("\n");
}

/** Whether every MUST and SHOULD holds, or has a reason why it wasn't tested. */
export function holdsThroughout(reports: readonly ConformanceReport[]): boolean {
  const isBroken = ({ verdict, force }: Outcome): boolean =>
    verdict === "fail" || verdict === "error" || (verdict === "warn" && force !== "described");
  return !reports.some(({ outcomes }) => outcomes.some(isBroken));
}
