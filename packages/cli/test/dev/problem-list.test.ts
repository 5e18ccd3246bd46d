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

test("what the Sandbox left out is told once, by the Sandbox", () => {
  const diagnostics = [said("policy-rejected"), said("refused")];
  const rejected = [report({ kind: "rejected", value: "microphone" })];
  const {
    diagnostics: told,
    blocked,
    count,
  } = problemsOf({
    diagnostics,
    blocked: rejected,
    reasons: [],
  });
  expect(told.map(({ code }) => code)).toEqual(["refused"]);
  expect(blocked).toEqual(rejected);
  expect(count).toBe(2);
  // Where only the Host tells it, the Host's word stays.
  expect(problemsOf({ diagnostics, blocked: [], reasons: [] }).count).toBe(2);
});

test("what failed comes before what is in the way, and notes are no problems", () => {
  const diagnostics = [said("policy", "info"), said("refused"), said("document-timeout", "error")];
  const list = problemsOf({ diagnostics, blocked: [], reasons: [] });
  expect(list.diagnostics.map(({ code }) => code)).toEqual(["document-timeout", "refused"]);
  expect(list.notes.map(({ code }) => code)).toEqual(["policy"]);
  expect(list.count).toBe(2);
});

test("a library's question whether it may run text as code is a note", () => {
  const blocked = [report({ isProbe: true }), report({}), report({ value: "https://a.example" })];
  const list = problemsOf({ diagnostics: [], blocked, reasons: [] });
  expect([list.count, list.probes]).toEqual([2, 1]);
});
