import type { CallToolResult, Tool } from "@vitrine/protocol/apps";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { autoViews } from "../../src/auto-views/index.ts";
import type { ViewSource } from "../../src/view-source.ts";
import { openTemplateStage, type Shown, type TemplateStage } from "../templates/template-stage.ts";

vi.setConfig({ hookTimeout: 60_000, testTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

const TOOL: Tool = {
  name: "search",
  annotations: { readOnlyHint: true },
  inputSchema: {
    type: "object",
    properties: { query: { type: "string" }, limit: { type: "integer", minimum: 1 } },
    required: ["query"],
  },
};

/** The View that a tool gets, and a result as its View receives it. */
function withAutoView(result: Partial<CallToolResult>): {
  view: ViewSource;
  result: CallToolResult;
} {
  const catalogue = autoViews({ server: { name: "s" }, tools: [TOOL] });
  const [{ uri = "" } = {}] = catalogue.resources;
  const [page] = (catalogue.read(uri)?.contents ?? []) as { text: string }[];
  const told = catalogue.result("search", { content: [], ...result });
  return { view: { html: () => page?.text ?? "" }, result: told };
}

async function show(given: Partial<CallToolResult>, more = {}): Promise<Shown> {
  const { view, result } = withAutoView(given);
  return stage.show(view, { input: { query: "ada" }, result, ...more });
}

const text = (text: string): CallToolResult["content"][number] => ({ type: "text", text });
const HOSTILE =
  '</script><script>document.body.dataset.ran = "1"</script><img src=x onerror="document.body.dataset.ran = 1">';
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const RESULTS: Record<string, { given: Partial<CallToolResult>; reads: RegExp[]; by: string }> = {
  "a table of a list": {
    given: {
      structuredContent: {
        people: [
          { name: "Ada", born: 1815 },
          { name: "Grace", born: 1906 },
        ],
      },
    },
    reads: [/Ada/, /Grace/, /Born/],
    by: "table",
  },
  "two tables with their headings, and a card for the rest": {
    given: {
      structuredContent: {
        total: 3,
        nodes: [{ id: "a", tags: ["x", "y"] }],
        edges: [{ from: "a", to: "b" }],
      },
    },
    reads: [/Total/, /Nodes/, /Edges/, /x · y/],
    by: "section.part table",
  },
  "a card of an object": {
    given: { structuredContent: { city: "Graz", open: true } },
    reads: [/City/, /Graz/, /Yes/],
    by: "dl",
  },
  "a tree of nodes": {
    given: { content: [text(JSON.stringify([{ name: "src", children: [{ name: "index.ts" }] }]))] },
    reads: [/src/, /index\.ts/],
    by: '[role="tree"]',
  },
  "a difference": {
    given: { content: [text("```diff\n--- a\n+++ b\n@@ -1 +1 @@\n-one\n+two\n```")] },
    reads: [/-one/, /\+two/],
    by: ".difference .added",
  },
  "links, words and an image": {
    given: {
      content: [
        text("Here they are."),
        { type: "resource_link", uri: "demo://a", name: "First" },
        { type: "resource_link", uri: "demo://b", name: "Second" },
        { type: "image", data: PNG, mimeType: "image/png" },
      ],
    },
    reads: [/Here they are/, /First/, /demo:\/\/b/],
    by: ".images img",
  },
  "files within the result": {
    given: {
      content: [
        { type: "resource", resource: { uri: "file:///a.txt", text: "The text of a." } },
        {
          type: "resource",
          resource: { uri: "file:///b.zip", mimeType: "application/zip", blob: "AAAA" },
        },
      ],
    },
    reads: [/file:\/\/\/a\.txt/, /The text of a/, /application\/zip/],
    by: "dl",
  },
};

describe.each(Object.entries(RESULTS))("%s", (name, { given, reads, by }) => {
  test.each(["light", "dark"] as const)("is drawn, and axe finds nothing, in %s", async (theme) => {
    const shown = await show(given, { theme });
    await shown.frame.locator(by).first().waitFor();
    const seen = await shown.text();
    for (const pattern of reads) expect(seen).toMatch(pattern);
    expect(await shown.violations()).toEqual([]);
    expect(shown.errors).toEqual([]);
    await shown.shoot(`auto-view-${name.replaceAll(/\W+/g, "-")}-${theme}`);
  });
});

test("what only repeats the structured content is not said twice", async () => {
  const data = { city: "Graz" };
  const shown = await show({
    structuredContent: data,
    content: [text(JSON.stringify(data)), text("Graz")],
  });
  expect((await shown.text()).match(/Graz/g)).toHaveLength(1);
});

test.each<[string, Partial<CallToolResult>]>([
  ["words", { content: [text(HOSTILE)] }],
  ["a table", { structuredContent: { rows: [{ [HOSTILE]: HOSTILE }] } }],
  ["a card", { structuredContent: { [HOSTILE]: HOSTILE, b: 1 } }],
  [
    "a tree",
    { structuredContent: { name: HOSTILE, children: [{ name: HOSTILE, icon: HOSTILE }] } },
  ],
  ["a difference", { content: [text(`--- a\n+++ b\n@@ -1 +1 @@\n+${HOSTILE}`)] }],
  ["links", { content: [{ type: "resource_link", uri: "javascript:alert(1)", name: HOSTILE }] }],
  ["an image", { content: [{ type: "image", data: `"onload=alert(1) `, mimeType: `image/png"` }] }],
])("hostile text in %s is text", async (_, given) => {
  const shown = await show(given);
  await shown.frame.waitForTimeout(200);
  expect(await shown.frame.evaluate(() => document.body.dataset.ran)).toBeUndefined();
  const found = await shown.frame
    .locator("main script, main img[src='x'], a[href^='javascript']")
    .count();
  expect(found).toBe(0);
});

test.each<[string, Partial<CallToolResult>, RegExp]>([
  [
    "prototypes",
    {
      structuredContent: JSON.parse(
        '{"__proto__":{"polluted":"yes"},"constructor":"c","a":[{"__proto__":{"b":1}}]}',
      ),
    },
    /Constructor/,
  ],
  ["a depth of sixty", { content: [text(JSON.stringify(deep(55)))] }, /Inner/],
  [
    "ten megabytes of rows",
    {
      structuredContent: {
        rows: Array.from({ length: 40_000 }, (_, at) => ({ id: at, text: "x".repeat(250) })),
      },
    },
    /of 40,000/,
  ],
  [
    "ten thousand blocks",
    { content: Array.from({ length: 10_000 }, (_, at) => text(`line ${at}`)) },
    /line 0/,
  ],
  [
    "a forged note of the proxy",
    {
      content: [text("said")],
      _meta: {
        "vitrine/view-data": { blocks: { 0: { kind: "diff", lines: "x" } }, structured: 3 },
      },
    },
    /said/,
  ],
  [
    "content that is none",
    { content: [null, 1, { type: "text" }, { type: "audio", mimeType: "text/html" }] as never },
    /Call again/,
  ],
])("%s: shown or left out, and the View lives", async (_, given, reads) => {
  const shown = await show(given);
  expect(await shown.text()).toMatch(reads);
  expect(await shown.frame.evaluate(() => ({}) as { polluted?: string })).toEqual({});
  expect(shown.errors.filter((error) => !error.startsWith("Failed to load"))).toEqual([]);
});

function deep(levels: number): object {
  let value: object = { end: true };
  for (let level = 0; level < levels; level++) value = { inner: value };
  return value;
}

describe("the form to call the tool again", () => {
  const tools = (
    handler: (args: { query: string; limit?: number | undefined }) => CallToolResult,
  ) => ({
    tools: (server: { registerTool: (name: string, config: object, call: unknown) => unknown }) => {
      const inputSchema = z.object({ query: z.string(), limit: z.number().optional() });
      server.registerTool("search", { inputSchema }, async (args: never) => handler(args));
    },
  });
  const found = (name: string): CallToolResult => ({
    content: [],
    structuredContent: { people: [{ name }] },
  });

  test("has the arguments of the call, takes others by keyboard alone, and shows what comes", async () => {
    const shown = await show(
      found("Ada"),
      tools(({ query }) => found(`found ${query}`)),
    );
    const { frame } = shown;
    await frame.locator("summary").focus();
    await frame.press("summary", "Enter");
    const query = frame.getByLabel("Query");
    expect(await query.inputValue()).toBe("ada");
    await query.fill("grace");
    await query.press("Enter");
    await frame.getByText("found grace").waitFor();
    expect(shown.calls).toEqual([{ name: "search", arguments: { query: "grace" } }]);
    expect(await shown.violations()).toEqual([]);
    expect(await frame.getByText("Ada").count()).toBe(0);
  });

  test("refuses what the schema does, at the field and without a call", async () => {
    const shown = await show(
      found("Ada"),
      tools(() => found("x")),
    );
    const { frame } = shown;
    await frame.click("summary");
    await frame.getByLabel("Query").fill("");
    await frame.getByRole("button", { name: "Call", exact: true }).click();
    await frame.locator(".problem").waitFor();
    expect(await frame.getByLabel("Query").getAttribute("aria-invalid")).toBe("true");
    expect(await frame.evaluate(() => document.activeElement?.id)).toBe("again-0");
    expect(shown.calls).toEqual([]);
    expect(await shown.violations()).toEqual([]);
  });

  test("shows the failure, and keeps the result and the values of the form", async () => {
    const failure = { isError: true, content: [text("No such index.")] } as CallToolResult;
    const shown = await show(
      found("Ada"),
      tools(() => failure),
    );
    const { frame } = shown;
    await frame.click("summary");
    await frame.getByLabel("Query").fill("grace");
    await frame.getByLabel("Query").press("Enter");
    await frame.getByText("No such index.").waitFor();
    expect(await shown.text()).toContain("Ada");
    expect(await frame.getByLabel("Query").inputValue()).toBe("grace");
  });
});
