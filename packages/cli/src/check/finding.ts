import type { Code } from "./codes.ts";

/** A finding's effect on users. */
export type Effect =
  | "blank" // an empty frame, or no frame at all
  | "text-only" // the tool works, but no host finds its view
  | "broken" // it is shown but doesn't work as it should
  | "poor" // it works, but not well or not everywhere
  | "note"; // worth knowing

/** Errors fail a build, warnings can. */
export type Severity = "error" | "warning" | "info";

/** The location. */
export interface Place {
  tool?: string | undefined;
  /** The `ui://` address, or the file. */
  resource?: string | undefined;
  /** In the view's HTML, from 1. */
  line?: number | undefined;
  column?: number | undefined;
  /** In the author's file, if a source map of the page is known. */
  source?: { file: string; line: number; column: number } | undefined;
  /** The run in the browser that showed it. */
  run?: string | undefined;
}

/** One problem, its cause, and the fix. */
export interface Finding {
  code: Code;
  severity: Severity;
  effect: Effect;
  place: Place;
  /** One sentence with the value it is about. */
  cause: string;
  /** The line to add or to change. */
  remedy: string;
  /** Whether the browser confirmed it, rather than only the source. */
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

/** Merges findings about the same location; the one that the browser confirmed wins. */
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
