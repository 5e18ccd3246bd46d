// Which of the findings is the true cause. What the browser has seen counts before what was only read,
// and what a server declares wrongly before what follows from it in the View.

import type { CheckedView } from "./check.ts";
import type { Code } from "./codes.ts";
import type { Effect, Finding } from "./finding.ts";

/** The outcome in one word, and the findings in the order in which to mend them. */
export interface Diagnosis {
  verdict: "blank" | "text-only" | "broken" | "poor" | "no-ui" | "healthy";
  /** The one to mend first, if there is one. */
  cause: Finding | undefined;
  findings: Finding[];
}

const EFFECTS: readonly Effect[] = ["blank", "text-only", "broken", "poor", "note"];

// Declared by the server: without them the View was never asked for, or never allowed.
const NEVER_ASKED: readonly Code[] = [
  "misspelt-meta",
  "foreign-key-only",
  "bad-address",
  "template-address",
  "resource-missing",
  "resource-failed",
  "resource-empty",
  "resource-address",
  "mime-type",
  "not-html",
  "too-large",
];
const NEVER_GRANTED: readonly Code[] = [
  "policy-on-tool",
  "metadata-lost",
  "csp-shape",
  "csp-source",
];
// Read in the page's text: what they do shows in the browser.
const READ_IN_PAGE: readonly Code[] = [
  "origin-undeclared",
  "local-address",
  "insecure-address",
  "relative-file",
  "bare-import",
  "syntax-error",
  "dynamic-code",
  "no-handshake",
  "half-handshake",
  "foreign-protocol",
  "text-message",
  "storage",
  "parent-access",
  "dialog",
  "navigation",
  "tool-call-form",
  "empty",
];
const UNUSED: readonly Code[] = ["dynamic-code", "viewport-height"];
const OF_POLICY: readonly Code[] = ["origin-undeclared", "dynamic-code", "blocked"];
const OF_DATA: readonly Code[] = ["empty", "stuck"];

/** Puts findings in order. */
export function diagnose(findings: readonly Finding[], views: readonly CheckedView[]): Diagnosis {
  const settled = findings.map((one) => settle(one, findings, views));
  const ranked = settled
    .map((one, at) => ({ one, at, rank: rankOf(one, settled) }))
    .sort((a, b) => compare(a.rank, b.rank) || a.at - b.at)
    .map(({ one }) => one);
  const [first] = ranked;
  if (!first || first.effect === "note") {
    return {
      verdict: first?.code === "no-ui" ? "no-ui" : "healthy",
      cause: undefined,
      findings: ranked,
    };
  }
  return { verdict: first.effect, cause: first, findings: ranked };
}

/** What a finding does, now that the browser has been asked. */
function settle(one: Finding, all: readonly Finding[], views: readonly CheckedView[]): Finding {
  const view = views.find(({ tool, uri }) => tool === one.place.tool || uri === one.place.resource);
  if (view?.isShown === undefined || one.seen) return one;
  const soften = (effect: Effect): Finding => ({
    ...one,
    effect,
    severity: effect === "note" ? "info" : effect === "poor" ? "warning" : "error",
  });
  const isGrave = one.effect === "blank" || one.effect === "broken";
  // In the page, and nothing came of it: a library that has it and does not use it, a height that rests.
  if (view.isShown && UNUSED.includes(one.code) && !all.some((other) => isProof(other, one))) {
    return soften("note");
  }
  if (READ_IN_PAGE.includes(one.code) && isGrave) {
    // It would be somewhere else, or after a click; the View that was shown did without.
    return view.isShown ? soften("poor") : one;
  }
  if (NEVER_GRANTED.includes(one.code) && isGrave) {
    const hasSuffered = all.some(
      ({ code, seen, place }) => seen && OF_POLICY.includes(code) && place.tool === one.place.tool,
    );
    if (!hasSuffered) return soften("poor");
    return view.isShown ? soften("broken") : soften("blank");
  }
  return one;
}

/** Whether the browser has seen happen what was read. */
function isProof({ code, seen, place, effect }: Finding, one: Finding): boolean {
  const isSame = code === one.code || (one.code === "viewport-height" && code === "resize-loop");
  return isSame && seen === true && effect !== "note" && place.tool === one.place.tool;
}

/** Smaller comes first, number by number. */
function rankOf(one: Finding, all: readonly Finding[]): number[] {
  const effect = EFFECTS.indexOf(one.effect);
  const isCause = all.some(({ effect, code }) => effect === one.effect && !OF_DATA.includes(code));
  const layer = NEVER_ASKED.includes(one.code)
    ? 0
    : NEVER_GRANTED.includes(one.code)
      ? 1
      : one.seen
        ? 2
        : 3;
  // That nothing is to be seen says less than anything that explains it.
  const isEffectOnly = isCause && OF_DATA.includes(one.code) ? 1 : 0;
  return [effect, isEffectOnly, layer];
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [at, value] of one.entries()) {
    const difference = value - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
