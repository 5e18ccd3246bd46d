import type { CopyFailureCode, JsonLimits } from "./json-copy.ts";

/** Why a message was rejected: the path and the problem, without the payload. */
export interface Mismatch {
  ok: false;
  /** Such as `params.content[0].type`. */
  path: string;
  expected: string;
  received: string;
}

// Keys and values come from the other side and end up in logs, so they are cut short.
const longestText = 24;
const longestPath = 160;

/** A path in the notation of JavaScript. */
export function formatPath(root: string, steps: readonly (string | number)[]): string {
  const path = steps.reduce<string>((before, step) => before + formatStep(step), root);
  return path.length > longestPath ? `${path.slice(0, longestPath)}…` : path;
}

function formatStep(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return /^[\w$]{1,40}$/.test(step) ? `.${step}` : `[${quote(step)}]`;
}

/** A string of the other side in quotes, cut where it gets long. */
export function quote(value: string, longest: number = longestText): string {
  return JSON.stringify(value.length > longest ? `${value.slice(0, longest)}…` : value);
}

/** A short description of a value. */
export function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  switch (typeof value) {
    case "string":
      return value.length > longestText
        ? `a string of ${value.length} characters`
        : `the string ${quote(value)}`;
    case "number":
      return `the number ${value}`;
    case "boolean":
      return String(value);
    case "undefined":
      return "nothing";
    case "object":
      return "an object";
    default:
      return `a ${typeof value}`;
  }
}

/** The expectation for a value that could not be copied. */
export function describeLimit(code: CopyFailureCode, limits: JsonLimits): string {
  switch (code) {
    case "too-deep":
      return `at most ${limits.depth} levels, and no cycles`;
    case "too-many-values":
      return `at most ${limits.values} values`;
    case "too-large":
      return `at most ${limits.size} characters`;
    case "not-json":
      return "a value JSON can carry";
    case "unreadable":
      return "a value that can be read without an exception";
  }
}

/** A mismatch as one sentence. */
export function describeMismatch({ path, expected, received }: Mismatch): string {
  return `${path}: expected ${expected}, received ${received}`;
}
