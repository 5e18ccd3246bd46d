import { expect, test } from "vitest";
import { lintMetadata } from "../../src/check/lint/metadata-lint.ts";
import { lintResources } from "../../src/check/lint/resource-lint.ts";
import { lintResults } from "../../src/check/lint/result-lint.ts";
import { lintTools } from "../../src/check/lint/tool-lint.ts";
import type { Survey, SurveyedView } from "../../src/check/survey/survey.ts";

const uri = "ui://x/view.html";

function viewOf(ui: object, over: Partial<SurveyedView> = {}): SurveyedView {
  const content = { uri, mimeType: "text/html;profile=mcp-app", text: "<p>", _meta: { ui } };
  return { uri, entry: undefined, tools: ["show"], content, items: 1, html: "<p>", ...over };
}
function surveyOf(over: Partial<Survey>): Survey {
  return {
    tools: [],
    uiTools: [],
    resources: [],
    templates: [],
    views: [],
    calls: [],
    problems: [],
    ...over,
  };
}
const codes = (findings: Iterable<{ code: string }>): string[] =>
  [...findings].map(({ code }) => code);

test.for([
  [
    { csp: { connectDomains: ["api.example.com"] } },
    "csp-source",
    'connectDomains: ["https://api.example.com"]',
  ],
  [
    { csp: { connectDomains: ["https://api.example.com/v1"] } },
    "csp-source",
    '["https://api.example.com"]',
  ],
  [
    { csp: { connectDomains: ["http://api.example.com"] } },
    "csp-source",
    '["https://api.example.com"]',
  ],
  [{ csp: { resourceDomains: ["blob:"] } }, "csp-source", "remove the entry"],
  [{ csp: { resourceDomains: ["'unsafe-eval'"] } }, "csp-source", "without eval"],
  [{ csp: { resourceDomains: ["*"] } }, "csp-source", "write the origin alone"],
  [
    { csp: { scriptDomains: ["https://cdn.example.com"] } },
    "csp-shape",
    'resourceDomains: ["https://cdn.example.com"]',
  ],
  [
    { csp: { connectDomain: ["https://a.example.com"] } },
    "csp-shape",
    'connectDomains: ["https://a.example.com"]',
  ],
  [{ csp: "default-src *" }, "csp-shape", "resourceDomains"],
  [{ csp: { connectDomains: "https://a.example.com" } }, "csp-shape", "connectDomains"],
  [{ permissions: { clipboard: {} } }, "permission-shape", "clipboardWrite"],
  [{ domain: "a.example.com" }, "domain", "remove _meta.ui.domain"],
  [{ domain: "abc.claudemcpcontent.com" }, "domain", "claudeDomain"],
] as const)("the metadata %o is %s", ([ui, code, remedy]) => {
  const found = lintMetadata(viewOf({ prefersBorder: true, ...ui })).filter(
    (one) => one.code === code,
  );
  expect(found[0]?.remedy ?? "none").toContain(remedy);
});

test("sound metadata passes, and a missing border is a note", () => {
  const csp = { connectDomains: ["https://api.example.com", "wss://live.example.com"] };
  const domain = `${"0".repeat(32)}.claudemcpcontent.com`;
  expect(lintMetadata(viewOf({ prefersBorder: false, csp, domain }))).toEqual([]);
  expect(lintMetadata(viewOf({}))).toMatchObject([{ code: "border-unsaid", severity: "info" }]);
});

test("Claude's domain is compared with the server's own address", () => {
  const domain = `${"0".repeat(32)}.claudemcpcontent.com`;
  const [found] = lintMetadata(viewOf({ prefersBorder: true, domain }), "https://example.com/mcp");
  expect(found?.cause).toMatch(
    /doesn't belong to this server's address \([0-9a-f]{32}\.claudemcpcontent\.com does\)/,
  );
});

test("a page of more than a mebibyte is large, and the View that nobody names is a note", () => {
  const html = `<!doctype html><p>${"x".repeat(2 ** 20)}</p>`;
  const views = [viewOf({}, { html }), viewOf({}, { uri: "ui://x/old.html", tools: [] })];
  const found = lintResources(surveyOf({ views }));
  expect(codes(found)).toEqual(["large", "resource-address", "resource-unused"]);
});

test.for([
  [{ content: [] }, "no-fallback"],
  [{ content: [{ type: "text", text: "" }] }, "no-fallback"],
  [{ content: [{ type: "text", text: "Displayed in the dashboard above." }] }, "no-fallback"],
  [{ content: [{ type: "text", text: "undefined" }] }, "no-fallback"],
  [{ content: [{ type: "text", text: '{"a":1}' }] }, "data-in-text"],
  [{ isError: true, content: [{ type: "text", text: "No such city" }] }, "result-error"],
  [{ content: [{ type: "text", text: "x".repeat(200_000) }] }, "result-large"],
] as const)("the result %o is %s", ([result, code]) => {
  const call = { name: "show", arguments: {}, isGiven: false, result };
  expect(codes(lintResults([call as never]))).toContain(code);
});

test("a result in words is sound, whatever else it has", () => {
  const text = "In Oslo it is 3 °C, see the map above for more.";
  const result = { content: [{ type: "text", text }], structuredContent: { degrees: 3 } };
  expect(lintResults([{ name: "show", arguments: {}, isGiven: false, result }])).toEqual([]);
});

test("a call that fails with generated arguments isn't an error", () => {
  const call = { name: "show", arguments: {}, isGiven: false, problem: "city is required" };
  expect(lintResults([call])).toMatchObject([{ code: "call-failed", severity: "info" }]);
  expect(lintResults([{ ...call, isGiven: true }])).toMatchObject([{ severity: "error" }]);
});

test("csp on the tool is to be moved, with what it says", () => {
  const ui = { resourceUri: uri, csp: { connectDomains: ["https://a.example.com"] } };
  const tool = { name: "show", _meta: { ui, "ui/resourceUri": uri } };
  const uiTools = [{ name: "show", tool, nested: uri, flat: uri, foreign: undefined, uri }];
  const [found] = lintTools(surveyOf({ uiTools }));
  expect(found).toMatchObject({ code: "policy-on-tool", effect: "blank" });
  expect(found?.remedy).toContain('csp: {"connectDomains":["https://a.example.com"]}');
});
