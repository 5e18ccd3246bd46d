import type { Code } from "./codes.ts";

/** What a finding does to whoever uses the app. */
export type Effect =
  | "blank" // a frame with nothing in it, or no frame at all
  | "text-only" // the tool works, and no Host knows that it has a View
  | "broken" // it is shown and does not do what it should
  | "poor" // it works, and not well, or not everywhere
  | "note"; // worth knowing

/** How loud it is: errors fail a build, warnings can. */
export type Severity = "error" | "warning" | "info";

/** Where it is. */
export interface Place {
  tool?: string | undefined;
  /** The `ui://` address, or the file. */
  resource?: string | undefined;
  /** In the View's HTML, from 1. */
  line?: number | undefined;
  column?: number | undefined;
  /** The run in the browser that showed it. */
  run?: string | undefined;
}

/** One thing that is wrong, why, and what to write instead. */
export interface Finding {
  code: Code;
  severity: Severity;
  effect: Effect;
  place: Place;
  /** One sentence with the value it is about. */
  cause: string;
  /** The line to add or to change. */
  remedy: string;
  /** Whether the browser has seen it happen, and it was not only read in the source. */
  seen?: boolean;
}

const SEVERITIES: Record<Effect, Severity> = {
  blank: "error",
  "text-only": "error",
  broken: "error",
  poor: "warning",
  note: "info",
};

/** A finding whose severity follows from its effect. */
export function finding(
  code: Code,
  effect: Effect,
  place: Place,
  words: { cause: string; remedy: string; severity?: Severity; seen?: boolean },
): Finding {
  const { cause, remedy, severity = SEVERITIES[effect], seen } = words;
  return { code, severity, effect, place, cause, remedy, ...(seen && { seen }) };
}

/** Findings that say the same of the same place once: in the words of the one that was seen happen. */
export function distinct(findings: readonly Finding[]): Finding[] {
  const kept = new Map<string, Finding>();
  for (const one of findings) {
    const { code, place, remedy } = one;
    const key = JSON.stringify([code, place.tool, place.resource, remedy]);
    const known = kept.get(key);
    kept.set(key, known ? merge(known, one) : one);
  }
  return [...kept.values()];
}

function merge(known: Finding, other: Finding): Finding {
  const [words, rest] = other.seen && !known.seen ? [other, known] : [known, other];
  const place = words.place.line === undefined ? { ...rest.place, ...words.place } : words.place;
  const { line, column } = words.place.line === undefined ? rest.place : words.place;
  return { ...words, place: { ...place, ...(line !== undefined && { line, column }) } };
}
