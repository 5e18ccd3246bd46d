// The normal run: whether the view started and, if not, why. Earlier events come first: a blocked
// script is the cause of a missing handshake, not the other way round.

import { type Effect, type Finding, finding } from "../finding.ts";
import { oneLine } from "../json.ts";
import { nothingSeen, waiting } from "./explain-emptiness.ts";
import { busy, explainEnd } from "./explain-end.ts";
import { explainError } from "./explain-error.ts";
import { refusals } from "./explain-refusal.ts";
import { dropped, greeting, silence } from "./explain-silence.ts";
import { effectOf, explainViolation } from "./explain-violation.ts";
import { errorsOf, isBlank, type Sighting, violationsOf } from "./sighting.ts";
import { nameOf, type Subject } from "./subject.ts";

/** Findings of the run, the root cause first. */
export function judgeNormal(sighting: Sighting, subject: Subject): Finding[] {
  if (!sighting.isInitialized) return hidden(sighting, subject);
  const effect: Effect = isBlank(sighting) ? "blank" : "broken";
  const found = [
    ...explainEnd(sighting, subject),
    ...failures(sighting, subject, effect),
    ...refusals(sighting, subject),
  ];
  if (effect === "blank" && !found.some((one) => one.effect === "blank")) {
    found.push(...nothingSeen(sighting, subject));
  }
  if (effect !== "blank" && found.length === 0) found.push(...waiting(sighting, subject));
  return found;
}

/** A view that never finished its handshake, and is hidden because of that. */
function hidden(sighting: Sighting, subject: Subject): Finding[] {
  if (sighting.problem === "busy") return [busy(subject, sighting)];
  const early = [
    ...explainEnd(sighting, subject),
    ...greeting(sighting, subject),
    ...failures(sighting, subject, "blank").filter(({ effect }) => effect === "blank"),
    ...unloaded(sighting, subject),
    ...dropped(sighting, subject),
  ];
  return early.length > 0 ? early : [silence(sighting, subject)];
}

/** Errors and violations, in order of importance. */
function failures(sighting: Sighting, subject: Subject, effect: Effect): Finding[] {
  const context = { sighting, subject };
  const violations = violationsOf(sighting);
  const isScript = ({ directive }: { directive: string }): boolean =>
    directive.startsWith("script-src");
  const errors = errorsOf(sighting).filter(
    // A consequence of a blocked request.
    ({ message }) =>
      !(/Failed to fetch|NetworkError|Load failed/.test(message) && violations.length > 0),
  );
  const explain = (one: (typeof violations)[number]): Finding => {
    // Libraries try once and continue without; code that needs it throws, or has no `try`.
    const isTried =
      one.blocked === "eval" &&
      !errors.some(({ message }) => /EvalError/.test(message)) &&
      !isUnguarded(one, subject);
    if (isTried) return explainViolation(one, { ...context, effect: "note" });
    const own = effectOf(one);
    return explainViolation(one, {
      ...context,
      effect: effect === "blank" && own === "broken" ? "blank" : own,
    });
  };
  return [
    ...violations.filter(isScript).map(explain),
    ...errors.map((error) => explainError(error, { ...context, effect })),
    ...violations.filter((one) => !isScript(one)).map(explain),
  ];
}

/**
 * Whether the page's source has the blocked code without anything around it that handles the failure.
 */
function isUnguarded(
  { line, column }: { line: number; column: number },
  subject: Subject,
): boolean {
  return subject.facts.some((fact) => {
    if (fact.kind !== "dynamic-code" || fact.isGuarded) return false;
    const at = subject.document.at(fact.offset);
    // Bundles have everything on one line.
    return at.line === line && Math.abs(at.column - column) < 40;
  });
}

/** A script that is declared or relative, and did not load. */
function unloaded(sighting: Sighting, subject: Subject): Finding[] {
  const blocked = violationsOf(sighting).map((one) => URL.parse(one.blocked)?.host);
  return sighting.reports.flatMap((report) => {
    if (report.kind !== "unloaded" || report.tag !== "script") return [];
    // Already reported in more detail.
    if (blocked.includes(URL.parse(report.url)?.host)) return [];
    return [
      finding(
        "unreachable",
        "blank",
        { ...subject.place, run: sighting.run },
        {
          cause: `${nameOf(subject)} loads the script ${oneLine(report.url)}, but it doesn't arrive.`,
          remedy:
            "put the script into the page (vite build with vitrineViews()), or check that its server answers, with CORS for modules (with --offline none does)",
          seen: true,
        },
      ),
    ];
  });
}
