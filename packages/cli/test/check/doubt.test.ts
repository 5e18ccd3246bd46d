import { expect, test } from "vitest";
import { isUnexplained } from "../../src/check/render/render-view.ts";
import type { Sighting } from "../../src/check/render/sighting.ts";
import type { Subject } from "../../src/check/render/subject.ts";

const subject = { facts: [{ kind: "handshake" }] } as unknown as Subject;
const sighting = (change: Partial<Sighting>): Sighting => ({
  run: "no-styles",
  stage: "document",
  isInitialized: false,
  elapsed: 6_000,
  events: [],
  reports: [],
  console: [],
  look: undefined,
  requested: [],
  colours: undefined,
  axe: [],
  ...change,
});
const violation = (blocked: string): Sighting["reports"] => [
  { kind: "violation", directive: "script-src", blocked, line: 1, column: 1, sample: "" },
];

test("retries a view that never connected and reported nothing, because the machine may be busy", () => {
  expect(isUnexplained(sighting({}), subject)).toBe(true);
  expect(isUnexplained(sighting({ isInitialized: true }), subject)).toBe(false);
});

test("retries a view whose only report is a blocked eval, which zod causes in every view", () => {
  expect(isUnexplained(sighting({ reports: violation("eval") }), subject)).toBe(true);
});

test("doesn't retry a view with a blocked script or an error, including an EvalError", () => {
  expect(isUnexplained(sighting({ reports: violation("https://a.example") }), subject)).toBe(false);
  const error = { kind: "error" as const, message: "EvalError", source: "", stack: "" };
  const reports = [...violation("eval"), { ...error, line: 1, column: 1 }];
  expect(isUnexplained(sighting({ reports }), subject)).toBe(false);
});
