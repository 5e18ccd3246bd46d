import { expect, test } from "vitest";
import type { ExplainedDiagnostic } from "../../pages/dev/explanation.ts";
import { problemsOf } from "../../pages/dev/problem-list.ts";
import type { BlockedReport } from "../../src/dev/page-protocol.ts";

const said = (
  code: string,
  level: ExplainedDiagnostic["level"] = "warning",
): ExplainedDiagnostic => ({
  code: code as ExplainedDiagnostic["code"],
  level,
  stage: "document",
  elapsed: 1,
  title: code,
  cause: "",
  remedy: "",
});
const report = (change: Partial<BlockedReport>): BlockedReport => ({
  kind: "blocked",
  where: "script-src",
  value: "eval",
  message: "",
  resource: "ui://x",
  ...change,
});

test("lists a permission that the sandbox rejected once, as the sandbox reported it", () => {
  const diagnostics = [said("policy-rejected"), said("refused")];
  const rejected = [report({ kind: "rejected", value: "microphone" })];
  const {
    diagnostics: listed,
    blocked,
    count,
  } = problemsOf({
    diagnostics,
    blocked: rejected,
    reasons: [],
    problems: [],
  });
  expect(listed.map(({ code }) => code)).toEqual(["refused"]);
  expect(blocked).toEqual(rejected);
  expect(count).toBe(2);
  // If only the host reported it, the host's entry stays.
  expect(problemsOf({ diagnostics, blocked: [], reasons: [], problems: [] }).count).toBe(2);
});

test("lists errors before warnings, and doesn't count notes as problems", () => {
  const diagnostics = [said("policy", "info"), said("refused"), said("document-timeout", "error")];
  const list = problemsOf({ diagnostics, blocked: [], reasons: [], problems: [] });
  expect(list.diagnostics.map(({ code }) => code)).toEqual(["document-timeout", "refused"]);
  expect(list.notes.map(({ code }) => code)).toEqual(["policy"]);
  expect(list.count).toBe(2);
});

test("counts a library's eval probe as a note", () => {
  const blocked = [report({ isProbe: true }), report({}), report({ value: "https://a.example" })];
  const list = problemsOf({ diagnostics: [], blocked, reasons: [], problems: [] });
  expect([list.count, list.probes]).toEqual([2, 1]);
});
