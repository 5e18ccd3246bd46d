import { describe, expect, it } from "vitest";
import { renderHtml } from "../src/report/html.ts";
import { renderJson } from "../src/report/json-report.ts";
import { renderJunit } from "../src/report/junit.ts";
import { renderMatrix } from "../src/report/matrix.ts";
import { holdsThroughout, renderOverview } from "../src/report/overview.ts";
import { RULES } from "../src/rule.ts";
import type { ConformanceReport } from "../src/run.ts";
import type { Outcome, Verdict } from "../src/scenario.ts";

const HOSTILE = `<img src=x onerror="alert(1)">&\u001b[2J\u0000`;

const CONTROLS = ["\u001b", "\u0000"];

const outcome = (index: number, verdict: Verdict, note: string): Outcome => ({
  ...(RULES[index] as Outcome),
  verdict,
  note,
  scenario: "one",
});

const report: ConformanceReport = {
  role: "server",
  subject: HOSTILE,
  startedAt: "2026-01-26T12:00:00.000Z",
  milliseconds: 1500,
  outcomes: [
    outcome(0, "pass", "fine"),
    outcome(1, "fail", HOSTILE),
    outcome(2, "not-run", "why"),
    outcome(3, "error", "torn"),
    outcome(11, "warn", "weak"),
    outcome(9, "info", "either"),
  ],
};

describe("a report", () => {
  it("on the terminal has a line per rule, the counts, and no control codes of the product", () => {
    const text = renderMatrix(report);
    expect(text).toMatch(/^SRV-02 {2}must {8}FAIL {5}/m);
    expect(text).toMatch(/^SRV-03 {2}must {8}not run {2}/m);
    expect(text).toContain("1 fail, 1 error, 1 warn, 1 pass, 1 info, 1 not run");
    expect(CONTROLS.filter((code) => text.includes(code))).toEqual([]);
  });

  it("as JSON is the report with its counts", () => {
    const { counts, ...rest } = JSON.parse(renderJson(report));
    expect(rest).toEqual(report);
    expect(counts).toEqual({ pass: 1, fail: 1, warn: 1, info: 1, "not-run": 1, error: 1 });
  });

  it("as JUnit only fails for a MUST, skips rules that weren't run, and is valid XML for any product text", () => {
    const xml = renderJunit(report);
    expect(xml).toContain('tests="6" failures="1" errors="1" skipped="1"');
    expect(xml.match(/<failure /g)).toHaveLength(1);
    expect(xml.match(/<skipped message="why"\/>/g)).toHaveLength(1);
    expect(xml).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;");
    expect(xml).not.toContain("<img");
    expect(CONTROLS.filter((code) => xml.includes(code))).toEqual([]);
  });

  it("as HTML is one file that runs and loads nothing, and shows a product's text as text", () => {
    const html = renderHtml(report);
    expect(html).toContain("default-src 'none'; style-src 'unsafe-inline'");
    expect(html).toContain("color-scheme: light dark");
    expect(html).not.toMatch(/<img|<script|https?:/);
    expect(CONTROLS.filter((code) => html.includes(code))).toEqual([]);
    expect(html).toContain('<td class="verdict fail">fail</td>');
    expect(html).toContain('<td class="verdict not-run">not run</td>');
  });

  it("of several runs is one matrix that counts rules and gives reasons", () => {
    const text = renderOverview([
      report,
      { ...report, role: "view", outcomes: [outcome(0, "pass", "")] },
    ]);
    expect(text).toContain("server     6 rules");
    expect(text).toContain("view       1 rules");
    expect(text).toMatch(/^SRV-03 {3}must {7}not-run {2}why$/m);
    expect(text).toContain("4 of 7 rules");
    expect(CONTROLS.filter((code) => text.includes(code))).toEqual([]);
  });

  it("passes with rules that weren't run and a weak description, not with a broken SHOULD", () => {
    const holds = (one: Outcome): boolean => holdsThroughout([{ ...report, outcomes: [one] }]);
    expect(holds(outcome(2, "not-run", "why"))).toBe(true);
    expect(holds(outcome(5, "warn", "weak"))).toBe(true);
    expect(holds(outcome(11, "warn", "weak"))).toBe(false);
    expect(holds(outcome(3, "error", "torn"))).toBe(false);
    expect(holds(outcome(1, "fail", "broken"))).toBe(false);
  });
});
