import type { CallToolResult, Tool } from "@vitrine/protocol/apps";
import { describe, expect, test } from "vitest";
import {
  type AutoViewRule,
  autoViews,
  type CatalogueWithViews,
} from "../../src/auto-views/index.ts";
import { checkUiUri } from "../../src/ui-uri.ts";

const tool = (more: Partial<Tool> = {}): Tool => ({
  name: "search",
  inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  ...more,
});

const autoViewsOfOne = (more: Partial<Tool>, rules?: AutoViewRule[]): CatalogueWithViews =>
  autoViews({ server: { name: "files" }, tools: [tool(more)] }, rules);

function uriOf(made: Tool | undefined): string {
  const { resourceUri = "" } = (made?._meta?.ui ?? {}) as { resourceUri?: string };
  return resourceUri;
}

/** The config in a generated page, and which view it is. */
function pageOf(
  { tools, read }: CatalogueWithViews,
  at = 0,
): { text: string; config: Record<string, unknown> } {
  const [content] = read(uriOf(tools[at]))?.contents ?? [];
  const text = (content as { text: string }).text;
  const json = /id="vitrine-config">(.*?)<\/script>/s.exec(text)?.[1] ?? "";
  return { text, config: JSON.parse(json) };
}

const isTemplate = (page: string, name: string): boolean => page.includes(`name:"${name}"`);

describe("a tool without UI", () => {
  const withViews = autoViewsOfOne({ title: "Search" });
  const [made] = withViews.tools;
  const uri = uriOf(made);

  test("gets a View under both keys, and keeps everything else", () => {
    expect(made).toEqual({
      ...tool({ title: "Search" }),
      _meta: { ui: { resourceUri: uri }, "ui/resourceUri": uri },
    });
    expect(uri).toMatch(/^ui:\/\/auto-views\/files\/search\.[0-9a-f]{16}\.html$/);
  });

  test("has a resource that is listed and read alike, and declares no origin", () => {
    const _meta = { ui: { prefersBorder: true } };
    const mimeType = "text/html;profile=mcp-app";
    expect(withViews.resources).toEqual([
      { uri, name: "search", title: "Search", mimeType, _meta },
    ]);
    expect(withViews.read(uri)?.contents).toEqual([
      { uri, mimeType, text: expect.stringMatching(/^<!doctype html>/), _meta },
    ]);
    expect(withViews.read("ui://files/other")).toBeUndefined();
    expect(withViews.read("ui://auto-views/files/other.0123456789abcdef.html")).toBeUndefined();
    expect(withViews.read(`${uri}x`)).toBeUndefined();
  });

  test("keeps its URI as long as its page is the same, and answers for older ones", () => {
    expect(autoViewsOfOne({ title: "Search" }).tools).toEqual(withViews.tools);
    const changed = autoViewsOfOne({ annotations: { readOnlyHint: true } });
    const [{ uri: other = "" } = {}] = changed.resources;
    expect(other).not.toBe(uri);
    // A conversation of last week still shows its View.
    const [content] = changed.read(uri)?.contents ?? [];
    expect(content).toMatchObject({ uri, text: expect.stringContaining("<!doctype html>") });
  });

  test("gets a valid and unique URI, even if its name can't be part of one", () => {
    const names = [
      "a b",
      "ä/../ö",
      "..",
      "",
      "\ud800",
      "x".repeat(500),
      `${"x".repeat(500)}y`,
      "a%20b",
      "a.20.b",
    ];
    const { tools, resources } = autoViews({
      server: { name: "Größe!" },
      tools: names.map((name) => tool({ name })),
    });
    expect(tools.map(({ name }) => name)).toEqual(names);
    expect(new Set(resources.map(({ uri }) => uri)).size).toBe(resources.length);
    for (const { uri } of resources) expect(checkUiUri(uri)).toBe(uri);
  });
});

describe("a tool that is left as it is", () => {
  test.each<[string, Partial<Tool>]>([
    ["one with a View", { _meta: { ui: { resourceUri: "ui://files/own" } } }],
    ["one with the older key", { _meta: { "ui/resourceUri": "ui://files/own" } }],
    ["one that names its View wrongly", { _meta: { ui: { resourceUri: "https://x" } } }],
    ["one for Views alone", { _meta: { ui: { visibility: ["app"] } } }],
    ["one whose metadata is broken", { _meta: { ui: "yes" } }],
    ["one without an input schema", { inputSchema: "none" as never }],
  ])("%s", (_, more) => {
    const given = tool(more);
    const { tools, resources, result } = autoViews({ server: { name: "s" }, tools: [given] });
    expect(tools[0]).toBe(given);
    expect(resources).toEqual([]);
    const answer = { content: [{ type: "text" as const, text: '{"a":1}' }] };
    expect(result("search", answer)).toBe(answer);
  });

  test("a second of the same name, which nobody could call", () => {
    const { tools, resources } = autoViews({ server: { name: "s" }, tools: [tool(), tool()] });
    expect(resources).toHaveLength(1);
    expect(tools[1]).toEqual(tool());
  });

  test("a tool keeps its own metadata next to ours, including restrictions", () => {
    const { tools } = autoViewsOfOne({ _meta: { ui: { visibility: ["model"] }, other: 1 } });
    expect(tools[0]?._meta).toMatchObject({ ui: { visibility: ["model"] }, other: 1 });
    expect(
      pageOf(
        autoViewsOfOne({
          annotations: { readOnlyHint: true },
          _meta: { ui: { visibility: ["model"] } },
        }),
      ).config.again,
    ).toBeUndefined();
  });
});

describe("what is chosen without a rule", () => {
  const output = (properties: object): Partial<Tool> => ({
    outputSchema: { type: "object", properties },
  });

  test("the words of a schema for tables and cards", () => {
    const row = { type: "object", properties: { dueAt: { type: "string", format: "date-time" } } };
    const { text, config } = pageOf(
      autoViewsOfOne(
        output({
          count: { type: "number", title: "How many" },
          openTasks: { type: "array", items: row },
        }),
      ),
    );
    expect(isTemplate(text, "result")).toBe(true);
    expect(config).toEqual({
      fields: [
        { key: "count", label: "How many" },
        { key: "openTasks", label: "Open tasks" },
      ],
      columns: { openTasks: [{ key: "dueAt", label: "Due", format: "datetime" }] },
    });
  });

  test("a chart where a list has a name and numbers, and a table where it has more", () => {
    const list = (properties: object): Partial<Tool> =>
      output({ rows: { type: "array", items: { type: "object", properties } } });
    const [text, number] = [{ type: "string" }, { type: "number" }];
    const series = list({ month: text, sales: number, costs: number });
    expect(isTemplate(pageOf(autoViewsOfOne(series)).text, "chart")).toBe(true);
    const people = list({ name: text, age: number, email: text });
    expect(isTemplate(pageOf(autoViewsOfOne(people)).text, "result")).toBe(true);
  });

  test("a comparison where there are two sides, a tree where nodes have children", () => {
    const text = { type: "string" };
    const sides = pageOf(autoViewsOfOne(output({ original: text, modified: text }))).text;
    expect(isTemplate(sides, "diff-viewer")).toBe(true);
    const node = { type: "object", properties: { name: text, children: { type: "array" } } };
    const tree = pageOf(autoViewsOfOne(output({ roots: { type: "array", items: node } }))).text;
    expect(isTemplate(tree, "tree-view")).toBe(true);
  });

  test.each<[string, Partial<Tool>, boolean]>([
    ["it only reads", { annotations: { readOnlyHint: true } }, true],
    ["it destroys nothing", { annotations: { destructiveHint: false } }, true],
    ["it says nothing of that", {}, false],
    ["it destroys", { annotations: { destructiveHint: true, readOnlyHint: false } }, false],
    [
      "it takes nothing",
      { annotations: { readOnlyHint: true }, inputSchema: { type: "object" } },
      false,
    ],
  ])("a form to call it again: %s", (_, more, offered) => {
    const { again } = pageOf(autoViewsOfOne(more)).config;
    expect(again !== undefined).toBe(offered);
    if (offered) {
      const field = { name: "query", label: "Query", type: "text", required: true };
      expect(again).toEqual({ tool: "search", fields: [field] });
    }
  });
});

describe("rules", () => {
  const three = {
    server: { name: "s" },
    tools: ["list_a", "list_b", "get"].map((name) => tool({ name })),
  };
  const templates = (rules: AutoViewRule[]): boolean[] =>
    autoViews(three, rules).tools.map(({ _meta }) => _meta !== undefined);

  test("the first that matches counts; without one a tool stays as it is", () => {
    expect(templates([{ tools: "get", template: "detail" }])).toEqual([false, false, true]);
    expect(templates([{ tools: /^list/g, template: "data-table" }])).toEqual([true, true, false]);
    expect(
      templates([{ tools: ({ name }) => name.endsWith("b"), template: "none" }, "auto"]),
    ).toEqual([true, false, true]);
    expect(templates([])).toEqual([false, false, false]);
  });

  test("name a template and its config", () => {
    const rule: AutoViewRule = {
      tools: "search",
      template: "data-table",
      config: { title: "Found" },
    };
    const { text, config } = pageOf(autoViewsOfOne({}, [rule]));
    expect(isTemplate(text, "data-table")).toBe(true);
    expect(config).toEqual({ title: "Found" });
  });

  test("decide about the form", () => {
    const rule = (again: boolean): AutoViewRule[] => [{ tools: /./, template: "auto", again }];
    expect(pageOf(autoViewsOfOne({}, rule(true))).config.again).toBeDefined();
    const readOnly = { annotations: { readOnlyHint: true } };
    expect(pageOf(autoViewsOfOne(readOnly, rule(false))).config.again).toBeUndefined();
  });

  test("that can never work are refused at once", () => {
    const config = { colums: [] } as never;
    expect(() => autoViews(three, [{ tools: "get", template: "tabel" as never }])).toThrow(
      /Unknown template "tabel"/,
    );
    expect(() => autoViews(three, [{ tools: "get", template: "data-table", config }])).toThrow(
      /colums/,
    );
  });

  test("let structured content be made of text, for a tool that declares none", () => {
    const rule: AutoViewRule = { tools: "search", template: "data-table" };
    const given: CallToolResult = {
      content: [{ type: "text", text: "| a | b |\n|---|---|\n| 1 | 2 |" }],
    };
    const { result } = autoViewsOfOne({}, [rule]);
    expect(result("search", given)).toEqual({
      ...given,
      structuredContent: { items: [{ a: "1", b: "2" }] },
    });
    const declared = autoViewsOfOne({ outputSchema: { type: "object" } }, [rule]);
    expect(declared.result("search", given)).toBe(given);
  });
});

describe("a result", () => {
  const text = (text: string): CallToolResult["content"][number] => ({ type: "text", text });
  const { result } = autoViewsOfOne({});
  const KEY = "vitrine/view-data";

  test("carries its text as data for the View alone; what a model reads is untouched", () => {
    const given: CallToolResult = {
      content: [
        { type: "text", text: "Found:" },
        { type: "text", text: '[{"a":1}]' },
      ],
      _meta: { own: 1 },
    };
    const blocks = { 1: { kind: "json", value: [{ a: 1 }] } };
    expect(result("search", given)).toEqual({ ...given, _meta: { own: 1, [KEY]: { blocks } } });
  });

  test("whose structured content is one text carries that as data", () => {
    const text = "size: 1\nkind: file";
    const given: CallToolResult = {
      content: [{ type: "text", text }],
      structuredContent: { content: text },
    };
    const structured = { kind: "json", value: { size: "1", kind: "file" } };
    expect(result("search", given)._meta).toEqual({ [KEY]: { structured } });
  });

  test("that is near the size a Host takes gets no more on top", () => {
    const json = text(JSON.stringify(Array.from({ length: 2000 }, (_, id) => ({ id }))));
    const image = (length: number): CallToolResult["content"][number] => ({
      type: "image",
      data: "A".repeat(length),
      mimeType: "image/png",
    });
    expect(result("search", { content: [json, image(1000)] })._meta).toBeDefined();
    expect(result("search", { content: [json, image(8 * 2 ** 20)] })._meta).toBeUndefined();
  });

  test("stays the same object where there is nothing to add", () => {
    for (const given of [
      { content: [{ type: "text" as const, text: "Just words." }] },
      { content: [], structuredContent: { rows: [{ a: 1 }] } },
      { content: [{ type: "text" as const, text: '{"a":1}' }], isError: true },
    ]) {
      expect(result("search", given)).toBe(given);
      expect(result("unknown", given)).toBe(given);
    }
  });
});
