// Finds the root cause among the findings. Findings seen in the browser come before those only read
// in the source, and wrong declarations of the server before their effects in the view.

import type { CheckedView } from "./checked-view.ts";
import type { Code } from "./codes.ts";
import type { Effect, Finding } from "./finding.ts";

/** The verdict, and the findings in the order in which to fix them. */
export interface Diagnosis {
  verdict: "blank" | "text-only" | "broken" | "poor" | "no-ui" | "healthy";
  /** The one to fix first, if there is one. */
  cause: Finding | undefined;
  findings: Finding[];
}

const EFFECTS: readonly Effect[] = ["blank", "text-only", "broken", "poor", "note"];

// Declared by the server: with these the view is never requested, or never allowed.
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
// Read in the page's source; the browser shows their effect.
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
  "initialize-form",
  "unknown-message",
  "call-form",
  "handler-form",
  "empty",
];
const UNUSED: readonly Code[] = ["dynamic-code", "viewport-height", "storage"];
const OF_POLICY: readonly Code[] = ["origin-undeclared", "dynamic-code", "blocked"];
const OF_DATA: readonly Code[] = ["empty", "stuck"];

/** Sorts findings. */
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

/** A finding's effect, now that the view has been rendered. */
function settle(one: Finding, all: readonly Finding[], views: readonly CheckedView[]): Finding {
  const view = views.find(({ tool, uri }) => tool === one.place.tool || uri === one.place.resource);
  if (view?.isShown === undefined || one.seen) return one;
  const soften = (effect: Effect): Finding => ({
    ...one,
    effect,
    severity: effect === "note" ? "info" : effect === "poor" ? "warning" : "error",
  });
  const isGrave = one.effect === "blank" || one.effect === "broken";
  // In the page but without effect: a library that contains it and doesn't use it, or a height that
  // stays stable.
  if (view.isShown && UNUSED.includes(one.code) && !all.some((other) => isProof(other, one))) {
    return soften("note");
  }
  if (READ_IN_PAGE.includes(one.code) && isGrave) {
    // It would happen elsewhere or after a click; the view was shown without it.
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

/** Whether the browser confirmed what was read in the source. */
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
  // "Nothing is visible" explains less than any finding that explains it.
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
