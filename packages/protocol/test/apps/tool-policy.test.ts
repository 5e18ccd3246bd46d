import { describe, expect, test } from "vitest";
import { decideToolCall } from "../../src/apps/tool-call-policy.ts";
import {
  isVisibleTo,
  type ToolLike,
  toolResourceUri,
  toolVisibility,
} from "../../src/apps/tool-policy.ts";

const tool = (_meta?: unknown): ToolLike => ({ name: "refresh", _meta });
const visible = (visibility: unknown): ToolLike => tool({ ui: { visibility } });

describe("the visibility of a tool", () => {
  test.each<[string, ToolLike, string[]]>([
    // HST-11
    ["no metadata", tool(), ["model", "app"]],
    ["metadata without ui", tool({}), ["model", "app"]],
    ["ui without visibility", tool({ ui: {} }), ["model", "app"]],
    ["undefined", visible(undefined), ["model", "app"]],
    ["both", visible(["model", "app"]), ["model", "app"]],
    ["both, the other way round", visible(["app", "model"]), ["model", "app"]],
    // HST-08
    ["the app only", visible(["app"]), ["app"]],
    ["the model only", visible(["model"]), ["model"]],
    ["nobody", visible([]), []],
    ["twice the same", visible(["app", "app"]), ["app"]],
    ["an unknown role next to a known one", visible(["admin", "app"]), ["app"]],
    ["only unknown words", visible(["admin"]), []],
    ["other case", visible(["APP"]), []],
    ["words inside words", visible([["app"]]), []],
    // Fail closed: what is not an array permits nothing.
    ["a string", visible("app"), []],
    ["a string that holds both words", visible("model app"), []],
    ["null", visible(null), []],
    ["a boolean", visible(true), []],
    ["an object", visible({ 0: "app", length: 1 }), []],
    ["metadata that is null", tool(null), ["model", "app"]],
    ["metadata that is a string", tool("ui"), ["model", "app"]],
    ["ui that is null", tool({ ui: null }), ["model", "app"]],
  ])("%s", (_, subject, parties) => {
    expect(toolVisibility(subject)).toEqual(parties);
    expect(isVisibleTo(subject, "app")).toBe(parties.includes("app"));
    expect(isVisibleTo(subject, "model")).toBe(parties.includes("model"));
  });

  test("is not read from a prototype", () => {
    const inherited = Object.create({ visibility: [] });
    expect(toolVisibility(tool({ ui: inherited }))).toEqual(["model", "app"]);
  });
});

describe("the UI resource of a tool", () => {
  // HST-04
  test.each<[string, unknown, string]>([
    ["the nested key", { ui: { resourceUri: "ui://a/b" } }, "ui://a/b"],
    ["the flat key", { "ui/resourceUri": "ui://flat" }, "ui://flat"],
    [
      "both keys",
      { ui: { resourceUri: "ui://nested" }, "ui/resourceUri": "ui://flat" },
      "ui://nested",
    ],
    ["an empty ui next to the flat key", { ui: {}, "ui/resourceUri": "ui://flat" }, "ui://flat"],
    [
      "null next to the flat key",
      { ui: { resourceUri: null }, "ui/resourceUri": "ui://flat" },
      "ui://flat",
    ],
  ])("is found by %s", (_, meta, uri) => {
    expect(toolResourceUri(tool(meta))).toEqual({ uri });
  });

  test.each<[string, unknown]>([
    ["without metadata", undefined],
    ["with metadata of others", { vendor: 1 }],
    ["with an empty ui", { ui: {} }],
    ["with null", { ui: { resourceUri: null } }],
    ["with metadata that isn't an object", "ui://a"],
  ])("is none %s", (_, meta) => {
    expect(toolResourceUri(tool(meta))).toEqual({ code: "none" });
  });

  test.each<[string, unknown, string]>([
    ["another scheme", { ui: { resourceUri: "https://a" } }, 'the string "https://a"'],
    ["upper case", { ui: { resourceUri: "UI://a" } }, 'the string "UI://a"'],
    ["one slash", { ui: { resourceUri: "ui:/a" } }, 'the string "ui:/a"'],
    ["a blank in front", { ui: { resourceUri: " ui://a" } }, 'the string " ui://a"'],
    ["the scheme alone", { ui: { resourceUri: "ui://" } }, 'the string "ui://"'],
    ["the empty string", { ui: { resourceUri: "" } }, 'the string ""'],
    ["a number", { ui: { resourceUri: 7 } }, "the number 7"],
    ["a list", { ui: { resourceUri: ["ui://a"] } }, "an array"],
    ["a wrong flat key", { "ui/resourceUri": "mcp-app://a" }, 'the string "mcp-app://a"'],
    [
      "a wrong nested key, although the flat one is right",
      { ui: { resourceUri: "x" }, "ui/resourceUri": "ui://flat" },
      'the string "x"',
    ],
  ])("is invalid with %s", (_, meta, words) => {
    expect(toolResourceUri(tool(meta))).toEqual({
      code: "invalid",
      reason: `The tool "refresh" names ${words} as its UI; it must start with ui://`,
    });
  });
});

describe("a View's tool call", () => {
  const call = (over: Partial<Parameters<typeof decideToolCall>[0]> = {}) =>
    decideToolCall({ name: "refresh", tool: tool(), server: "a", viewServer: "a", ...over });

  test("to a visible tool of its own server is allowed", () => {
    expect(call()).toEqual({ allow: true });
    expect(call({ tool: visible(["app"]) })).toEqual({ allow: true });
  });

  // HST-09
  test.each([["model"], []])("to a tool for %j only is refused", (...visibility) => {
    expect(call({ tool: visible(visibility) })).toEqual({
      allow: false,
      code: "not-visible",
      reason:
        'The tool "refresh" is not for apps; its server must add "app" to _meta.ui.visibility.',
    });
  });

  // HST-10
  test("to another server is refused, even if the tool is visible or does not exist", () => {
    const refusal = { allow: false, code: "other-server" };
    expect(call({ server: "b" })).toMatchObject(refusal);
    expect(call({ server: "b", tool: visible(["app"]) })).toMatchObject(refusal);
    expect(call({ server: "b", tool: undefined })).toMatchObject(refusal);
  });

  test("to another server does not tell whether the tool exists there", () => {
    expect(call({ server: "b" })).toEqual(call({ server: "b", tool: undefined }));
  });

  test("to a tool nobody lists is refused", () => {
    expect(call({ tool: undefined, name: "x".repeat(100) })).toEqual({
      allow: false,
      code: "unknown-tool",
      reason: `The server lists no tool named "${"x".repeat(64)}…"; see tools/list.`,
    });
  });
});
