import type { AppOf } from "@vitrine/server";
import { appTool, defineApp } from "@vitrine/server";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  defineStories,
  formatScenarioFile,
  parseScenario,
  parseScenarioFile,
  parseStories,
  type Scenario,
} from "../src/index.ts";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const full: Scenario = {
  tool: "show_tasks",
  input: { list: "home" },
  partialInputs: [{}, { list: "ho" }],
  result: text("2 tasks"),
  tools: { add_task: text("Added."), poll: [text("1"), text("2")] },
  host: { theme: "dark", locale: "ar-EG", width: 360, displayMode: "inline", profile: "chatgpt" },
};

describe("a scenario", () => {
  it("comes back unchanged from its file", () => {
    const file = formatScenarioFile({ name: "Dark and narrow", ...full });
    expect(parseScenarioFile(file)).toEqual({ name: "Dark and narrow", ...full });
  });

  it.each([
    [null, /a scenario must be an object/],
    [{}, /"tool" must be a string/],
    [{ tool: "a\nb" }, /"tool" must be a name on one line/],
    [{ tool: "a", input: [] }, /"input" must be an object/],
    [{ tool: "a", partialInputs: Array(1_001).fill({}) }, /more than 1000 entries/],
    [{ tool: "a", result: { content: "text" } }, /"result" isn't a tool's result: .*content/],
    [{ tool: "a", result: text("x"), cancelled: "y" }, /not both/],
    [{ tool: "a", tools: [] }, /"tools" must be an object/],
    [{ tool: "a", tools: { b: [] } }, /"tools.b" must be at least one answer/],
    [{ tool: "a", tools: { b: [text("x"), 1] } }, /"tools.b\[1\]" isn't a tool's result/],
    [{ tool: "a", host: { theme: "blue" } }, /"host.theme" must be/],
    [{ tool: "a", host: { locale: "not a locale" } }, /"host.locale" must be/],
    [{ tool: "a", host: { width: 1e9 } }, /"host.width" must be/],
    [{ tool: "a", host: { displayMode: "huge" } }, /"host.displayMode" must be/],
  ])("is rejected with its first problem: %j", (value, problem) => {
    expect(() => parseScenario(value)).toThrow(problem);
  });

  it("is rejected if its values are too deep", () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 100; level++) deep = { deep };
    expect(() => parseScenario({ tool: "a", input: deep })).toThrow(/limits of a message/);
  });

  it.each([
    ["{", "not-json"],
    ["{}", "wrong-kind"],
    ['{"vitrine":"scenario","version":2,"name":"a","tool":"a"}', "wrong-kind"],
    ['{"vitrine":"scenario","version":1,"tool":"a"}', "invalid-value"],
  ])("isn't read from the file %s", (file, code) => {
    expect(() => parseScenarioFile(file)).toThrow(expect.objectContaining({ code }));
  });
});

describe("stories", () => {
  const tasks = defineApp({
    name: "show_tasks",
    tool: {
      inputSchema: z.object({ list: z.string() }),
      outputSchema: z.object({ open: z.number() }),
      handler: () => ({ data: { open: 1 } }),
    },
    tools: {
      add_task: appTool({
        inputSchema: z.object({ text: z.string() }),
        handler: () => ({ text: "Added." }),
      }),
    },
    view: "<!doctype html>",
  });

  it("inherit the fields around them and add their own tools and host", () => {
    const { stories } = defineStories<AppOf<typeof tasks>>({
      tool: "show_tasks",
      input: { list: "home" },
      tools: { add_task: text("Added.") },
      host: { theme: "dark" },
      stories: {
        Full: { result: { content: [], structuredContent: { open: 2 } } },
        Waiting: { host: { width: 360 } },
        "No input": { input: undefined as never },
      },
    });
    expect(stories).toEqual([
      expect.objectContaining({ name: "Full", input: { list: "home" }, host: { theme: "dark" } }),
      expect.objectContaining({ name: "Waiting", host: { theme: "dark", width: 360 } }),
      expect.not.objectContaining({ input: expect.anything() }),
    ]);
  });

  it("have the types of their app", () => {
    defineStories<AppOf<typeof tasks>>({
      // @ts-expect-error: the app doesn't have this tool.
      tool: "show_taks",
      stories: {
        // @ts-expect-error: the output has no such field.
        Full: { result: { content: [], structuredContent: { closed: 2 } } },
      },
    });
  });

  it("name the story that is invalid", () => {
    expect(() =>
      defineStories({ tool: "a", stories: { Broken: { result: { content: 1 } as never } } }),
    ).toThrow(/^Story "Broken": "result" isn't a tool's result/);
  });

  it("are rejected if they aren't made by defineStories", () => {
    expect(() => parseStories({ default: {} })).toThrow(/defineStories/);
  });
});
