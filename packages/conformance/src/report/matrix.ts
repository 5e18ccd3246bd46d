import { printable } from "@vitrine/protocol/printable";
import type { ConformanceReport } from "../run.ts";
import type { Verdict } from "../scenario.ts";
import { summaryOf } from "./tally.ts";

const MARKS: Record<Verdict, { sign: string; colour: number }> = {
  pass: { sign: "pass   ", colour: 32 },
  fail: { sign: "FAIL   ", colour: 31 },
  error: { sign: "ERROR  ", colour: 31 },
  warn: { sign: "warn   ", colour: 33 },
  info: { sign: "info   ", colour: 36 },
  "not-run": { sign: "not run", colour: 90 },
};

/**
 * One rule per line, for a terminal. It contains the product's text, so control codes are removed.
 */
export function renderMatrix(
  { role, subject, outcomes }: ConformanceReport,
  { colour = false }: { colour?: boolean } = {},
): string {
  const lines = outcomes.map(({ id, force, verdict, rule, note }) => {
    const mark = MARKS[verdict];
    const sign = colour ? `\u001b[${mark.colour}m${mark.sign}\u001b[0m` : mark.sign;
    return `${id}  ${force.padEnd(10)}  ${sign}  ${rule}\n${" ".repeat(29)}${printable(note)}`;
  });
  const head = `${role}: ${printable(subject)}`;
  return [head, "", ...lines, "", summaryOf(outcomes), ""].join("\n");
}
