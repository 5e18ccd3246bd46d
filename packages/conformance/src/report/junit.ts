import type { ConformanceReport } from "../run.ts";
import type { Outcome } from "../scenario.ts";
import { escapeMarkup } from "./markup.ts";
import { tally } from "./tally.ts";

/** A test case for each rule: a broken MUST fails, rules that weren't run are skipped. */
export function renderJunit({
  role,
  subject,
  startedAt,
  milliseconds,
  outcomes,
}: ConformanceReport): string {
  const counts = tally(outcomes);
  const attributes = [
    `name="${escapeMarkup(`${role}: ${subject}`)}"`,
    `tests="${outcomes.length}"`,
    `failures="${counts.fail}"`,
    `errors="${counts.error}"`,
    `skipped="${counts["not-run"]}"`,
    `timestamp="${startedAt}"`,
    `time="${(milliseconds / 1000).toFixed(3)}"`,
  ].join(" ");
  const cases = outcomes.map((outcome) => {
    const name = escapeMarkup(`${outcome.id} ${outcome.rule}`);
    return `    <testcase classname="conformance.${role}" name="${name}">${bodyOf(outcome)}</testcase>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite ${attributes}>
${cases.join("\n")}
  </testsuite>
</testsuites>
`;
}

function bodyOf({ verdict, note, force }: Outcome): string {
  const text = escapeMarkup(note);
  switch (verdict) {
    case "fail":
      return `<failure type="${force}" message="${text}"/>`;
    case "error":
      return `<error message="${text}"/>`;
    case "not-run":
      return `<skipped message="${text}"/>`;
    default:
      return `<system-out>${verdict}: ${text}</system-out>`;
  }
}
