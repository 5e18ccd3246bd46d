import type { Outcome, Verdict } from "../scenario.ts";

/** Verdicts in the order of the report, with their labels. */
export const VERDICTS: readonly { verdict: Verdict; word: string }[] = [
  { verdict: "fail", word: "fail" },
  { verdict: "error", word: "error" },
  { verdict: "warn", word: "warn" },
  { verdict: "pass", word: "pass" },
  { verdict: "info", word: "info" },
  { verdict: "not-run", word: "not run" },
];

/** The number of each verdict. */
export function tally(outcomes: readonly Outcome[]): Record<Verdict, number> {
  const counts: Record<Verdict, number> = {
    pass: 0,
    fail: 0,
    warn: 0,
    info: 0,
    "not-run": 0,
    error: 0,
  };
  for (const { verdict } of outcomes) counts[verdict]++;
  return counts;
}

/** `18 pass, 2 warn, 8 not run`. */
export function summaryOf(outcomes: readonly Outcome[]): string {
  const counts = tally(outcomes);
  return VERDICTS.filter(({ verdict }) => counts[verdict] > 0)
    .map(({ verdict, word }) => `${counts[verdict]} ${word}`)
    .join(", ");
}
