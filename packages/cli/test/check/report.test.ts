import { expect, test } from "vitest";
import type { CheckReport } from "../../src/check/check.ts";
import { diagnose } from "../../src/check/diagnosis.ts";
import { type Finding, finding } from "../../src/check/finding.ts";
import type { RunName } from "../../src/check/render/runs.ts";
import type { Sighting } from "../../src/check/render/sighting.ts";
import { renderJson } from "../../src/check/report/json-report.ts";
import { renderWords } from "../../src/check/report/words.ts";

const place = { tool: "show", resource: "ui://x/view.html" };
const plain = { style: (_: unknown, text: string): string => text };
const words = { cause: "It is so.", remedy: "write this" };
const shown = (isShown: boolean | undefined): CheckReport["views"] => [
  { uri: "ui://x/view.html", tool: "show", isShown, sightings: [] },
];
const seenIn = (...runs: RunName[]): CheckReport["views"] => {
  const sightings = runs.map((run) => ({ run, elapsed: 800 }) as Sighting);
  return [{ uri: "ui://x/view.html", tool: "show", isShown: true, sightings }];
};

function reportOf(findings: Finding[], views = shown(undefined)): CheckReport {
  const diagnosis = diagnose(findings, views);
  return {
    target: "node server.mjs",
    source: "server.mjs",
    views,
    tools: 1,
    uiTools: 1,
    skipped: [],
    findings: diagnosis.findings,
    diagnosis,
    elapsed: 1_000,
  };
}

test("ranks blank before broken, and the server's faults before the view's", () => {
  const findings = [
    finding("border-unsaid", "note", place, words),
    finding("storage", "blank", place, words),
    finding("contrast", "poor", place, words),
    finding("mime-type", "blank", place, words),
    finding("dialog", "broken", place, words),
  ];
  const { findings: ranked, cause, verdict } = diagnose(findings, shown(undefined));
  expect(ranked.map(({ code }) => code)).toEqual([
    "mime-type",
    "storage",
    "dialog",
    "contrast",
    "border-unsaid",
  ]);
  expect(cause?.code).toBe("mime-type");
  expect(verdict).toBe("blank");
});

test("a source finding in a page that was shown anyway is a warning", () => {
  const read = finding("parent-access", "blank", place, words);
  const { verdict, findings } = diagnose([read], shown(true));
  expect(verdict).toBe("poor");
  expect(findings[0]?.severity).toBe("warning");
  // A library may handle that elsewhere.
  const stored = diagnose([finding("storage", "blank", place, words)], shown(true));
  expect(stored.verdict).toBe("healthy");
});

test("a height of 100vh is a warning if the browser saw it chase its frame, and else a note", () => {
  const read = finding("viewport-height", "poor", place, words);
  const seen = finding("resize-loop", "broken", place, { ...words, seen: true });
  const severityOf = (findings: Finding[]): string | undefined =>
    diagnose(findings, shown(true)).findings.find(({ code }) => code === "viewport-height")
      ?.severity;
  expect(severityOf([read])).toBe("info");
  expect(severityOf([read, seen])).toBe("warning");
});

test("a policy declared wrongly is the cause only if something was blocked", () => {
  const misplaced = finding("policy-on-tool", "blank", place, words);
  const blocked = finding("origin-undeclared", "blank", place, { ...words, seen: true });
  const threw = finding("script-error", "blank", place, { ...words, seen: true });
  expect(diagnose([blocked, misplaced], shown(false)).cause?.code).toBe("policy-on-tool");
  expect(diagnose([threw, misplaced], shown(false)).cause?.code).toBe("script-error");
});

test("reports an empty view only if nothing explains it", () => {
  const empty = finding("empty", "blank", place, { ...words, seen: true });
  const late = finding("handler-late", "blank", place, { ...words, seen: true });
  expect(diagnose([empty, late], shown(false)).cause?.code).toBe("handler-late");
  expect(diagnose([empty], shown(false)).cause?.code).toBe("empty");
});

test("the text starts with verdict, cause and remedy, and lists the rest by severity", () => {
  const report = reportOf([
    finding("mime-type", "blank", { ...place, line: 3, column: 4 }, words),
    finding("large", "poor", place, { cause: "It is large.", remedy: "make it small" }),
  ]);
  const lines = renderWords(report, plain).split("\n");
  expect(lines.slice(0, 3)).toEqual([
    "Blank: It is so.",
    "→ write this",
    "  mime-type · tool show · ui://x/view.html:3:4",
  ]);
  expect(lines).toContain("1 warning");
  expect(lines.at(-1)).toBe("node server.mjs: ui://x/view.html not shown. 1.0 s.");
});

test.each([
  [["normal"], "Healthy: 1 tool with 1 view, shown after 0.8 s at most. Nothing to fix."],
  [
    ["normal", "dark", "narrow"],
    "Healthy: 1 tool with 1 view, shown after 0.8 s at most; also tried dark, 360 px wide. Nothing to fix.",
  ],
] as const)(
  "a healthy report of the runs %j lists the other runs only if there are any",
  (runs, line) => {
    expect(renderWords(reportOf([], seenIn(...runs)), plain).split("\n")[0]).toBe(line);
  },
);

test("JSON has a version, the verdict, and every finding", () => {
  const json = JSON.parse(renderJson(reportOf([finding("mime-type", "blank", place, words)])));
  expect(json).toMatchObject({ version: 1, verdict: "blank", cause: { code: "mime-type" } });
  expect(json.findings).toHaveLength(1);
});
