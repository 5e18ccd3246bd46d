// SARIF as GitHub takes it in: by its documentation of what it supports, and by what it answers to files
// that the schema allows ("URI scheme did not match the checkout URI scheme").

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import schema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" with { type: "json" };
import Ajv from "ajv-draft-04";
import { expect, onTestFinished, test } from "vitest";
import { checkFile } from "../../src/check/check.ts";
import { CODES, type Code } from "../../src/check/codes.ts";
import { diagnose } from "../../src/check/diagnosis.ts";
import { type Effect, type Finding, finding } from "../../src/check/finding.ts";
import { renderSarif } from "../../src/check/report/sarif.ts";
import { sourcePath } from "../../src/check/report/source-path.ts";
import { readTarget } from "../../src/target/target.ts";

interface Log {
  $schema: string;
  version: string;
  runs: {
    tool: { driver: { name: string; rules: Rule[] } };
    automationDetails: { id: string };
    results: Result[];
  }[];
}
type Text = { text: string };
interface Rule {
  id: string;
  shortDescription: Text;
  fullDescription: Text;
  help: Text;
  defaultConfiguration: { level: string };
}
interface Result {
  ruleId: string;
  ruleIndex: number;
  level: string;
  message: Text;
  locations: {
    physicalLocation: {
      artifactLocation: { uri: string };
      region: { startLine: number; startColumn: number; endLine: number; endColumn: number };
    };
    logicalLocations?: { name: string; kind: string; fullyQualifiedName?: string }[];
  }[];
  partialFingerprints: { primaryLocationLineHash: string };
}

const words = { cause: "It is so.", remedy: "write this" };
const served = { tool: "show", resource: "ui://x/view.html", line: 812, column: 4 };

function logOf(findings: Finding[], source = "server.mjs"): Log {
  const diagnosis = diagnose(findings, []);
  const report = { target: "node server.mjs", source, views: [], tools: 1, uiTools: 1 };
  const rest = { skipped: [], findings: diagnosis.findings, diagnosis, elapsed: 1 };
  return JSON.parse(renderSarif({ ...report, ...rest }));
}

/** All codes, in all effects and kinds of places. */
const EVERYTHING = (Object.keys(CODES) as Code[]).map((code, at) => {
  const effects: Effect[] = ["blank", "text-only", "broken", "poor", "note"];
  const places = [served, { tool: "show" }, {}, { resource: "view.html", line: 3, column: 0 }];
  return finding(code, effects[at % 5] ?? "note", places[at % 4] ?? {}, words);
});

test("the report is valid by the JSON schema of SARIF 2.1.0", () => {
  // Formats are a matter of the dialect: addresses are tested below.
  const ajv = new Ajv({
    strict: false,
    validateFormats: false,
    unicodeRegExp: false,
    allErrors: true,
  });
  const validate = ajv.compile(schema);
  validate(logOf(EVERYTHING));
  expect(validate.errors).toBeNull();
  validate(logOf([]));
  expect(validate.errors).toBeNull();
  expect(validate({ version: "2.1.0", runs: [{ results: [] }] })).toBe(false);
});

test("every result has a rule with the texts that GitHub requires, and a level", () => {
  const { $schema, version, runs } = logOf(EVERYTHING);
  expect([$schema, version, runs.length]).toEqual([
    "https://json.schemastore.org/sarif-2.1.0.json",
    "2.1.0",
    1,
  ]);
  const [run] = runs;
  const rules = run?.tool.driver.rules ?? [];
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  for (const { shortDescription, fullDescription, help, defaultConfiguration } of rules) {
    for (const { text } of [shortDescription, fullDescription, help]) expect(text).not.toBe("");
    expect(["error", "warning", "note"]).toContain(defaultConfiguration.level);
  }
  expect(run?.results).toHaveLength(EVERYTHING.length);
  for (const { ruleId, ruleIndex, level, message } of run?.results ?? []) {
    expect(rules[ruleIndex]?.id).toBe(ruleId);
    expect(["error", "warning", "note"]).toContain(level);
    expect(message.text).toBe("It is so.\n→ write this");
  }
});

test("every place is a file of the work tree with a region from 1, whatever scheme the View has", () => {
  for (const { locations } of logOf(EVERYTHING).runs[0]?.results ?? []) {
    expect(locations).toHaveLength(1);
    const { artifactLocation, region } = locations[0]?.physicalLocation ?? {};
    expect(artifactLocation?.uri).toBe("server.mjs");
    expect(region?.startLine).toBeGreaterThanOrEqual(1);
    expect(region?.startColumn).toBeGreaterThanOrEqual(1);
    expect(region?.endLine).toBe(region?.startLine);
    expect(region?.endColumn).toBeGreaterThan(region?.startColumn ?? 0);
  }
});

test("a served view is a logical location with its line, not a line of the server's file", () => {
  const [result] = logOf([finding("storage", "blank", served, words)]).runs[0]?.results ?? [];
  const [location] = result?.locations ?? [];
  expect(location?.physicalLocation.region.startLine).toBe(1);
  expect(location?.logicalLocations).toEqual([
    { name: "show", kind: "function" },
    {
      name: "ui://x/view.html",
      kind: "resource",
      fullyQualifiedName: "ui://x/view.html:812:4",
    },
  ]);
});

test("a page that is a file has its own lines", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-sarif-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "my view [1].html");
  await writeFile(file, '<!doctype html>\n<html lang="en">\n<script src="x.js"></script></html>');
  const report = await checkFile(file);
  expect(report.source).toBe("my view [1].html");
  const log: Log = JSON.parse(renderSarif(report));
  const result = log.runs[0]?.results.find(({ ruleId }) => ruleId === "relative-file");
  expect(result?.locations[0]?.physicalLocation).toEqual({
    artifactLocation: { uri: "my%20view%20%5B1%5D.html" },
    region: { startLine: 3, startColumn: 1, endLine: 3, endColumn: 2 },
  });
});

test("the same finding is the same alert when only its line has moved, and another one is not", () => {
  const hashOf = (place: object, code: Code = "storage", source?: string): string | undefined =>
    logOf([finding(code, "blank", place, words)], source).runs[0]?.results[0]?.partialFingerprints
      .primaryLocationLineHash;
  expect(hashOf(served)).toMatch(/^[0-9a-f]{16}:1$/);
  expect(hashOf({ ...served, line: 9 })).toBe(hashOf(served));
  expect(hashOf({ ...served, tool: "other" })).not.toBe(hashOf(served));
  expect(hashOf(served, "dialog")).not.toBe(hashOf(served));
  expect(hashOf(served, "storage", "other.mjs")).not.toBe(hashOf(served));
});

test("what stands for a server is the file that was started, from the folder it is started in", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-sarif-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "server.mjs"), "");
  const of = (...line: string[]): string => sourcePath(readTarget(line), folder);
  expect(of("node", "--flag", "server.mjs", "--stdio")).toBe("server.mjs");
  expect(of(join(folder, "server.mjs"))).toBe("server.mjs");
  expect(of("npx", "some-server")).toBe("npx");
  expect(of("/opt/elsewhere/server")).toBe("server");
  expect(of("https://example.com/mcp/")).toBe("example.com/mcp");
  expect(sourcePath("../view.html", folder)).toBe("view.html");
});
