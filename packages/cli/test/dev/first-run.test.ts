import type { Tool } from "@vitrine/protocol/apps";
import { describe, expect, test } from "vitest";
import { firstRun } from "../../pages/dev/first-run.ts";

const LOCAL = { target: "node server.mjs" };
const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  inputSchema: { type: "object" },
  _meta: { ui: { resourceUri: `ui://test/${name}` } },
  ...more,
});

describe("the tool that runs by itself", () => {
  test("is the first with a view that needs no input", () => {
    const tools = [
      tool("text", { _meta: {} }),
      tool("asks", {
        inputSchema: { type: "object", properties: { a: {} }, required: ["a"] },
      }),
      tool("free", { inputSchema: { type: "object", properties: { a: {} }, required: [] } }),
      tool("later"),
    ];
    expect(firstRun(tools, LOCAL)?.name).toBe("free");
    expect(firstRun(tools.slice(0, 2), LOCAL)).toBeUndefined();
  });

  test("is the one that was selected last, or none if that one needs input", () => {
    const tools = [tool("one"), tool("two"), tool("asks", { inputSchema: hostile() })];
    expect(firstRun(tools, { ...LOCAL, selected: "two" })?.name).toBe("two");
    expect(firstRun(tools, { ...LOCAL, selected: "asks" })).toBeUndefined();
    expect(firstRun(tools, { ...LOCAL, selected: "gone" })?.name).toBe("one");
  });

  test("never declares to change something", () => {
    expect(
      firstRun([tool("a", { annotations: { destructiveHint: true } })], LOCAL),
    ).toBeUndefined();
    expect(firstRun([tool("a", { annotations: { readOnlyHint: false } })], LOCAL)).toBeUndefined();
  });

  test.each([
    ["https://example.com/mcp", false],
    ["http://localhost.example.com/mcp", false],
    ["http://127.0.0.1:3000/mcp", true],
    ["http://localhost:3000/mcp", true],
    ["uv run app.py", true],
  ])("of %s without annotations: %s", (target, runs) => {
    expect(firstRun([tool("a")], { target }) !== undefined).toBe(runs);
    expect(firstRun([tool("a", { annotations: { readOnlyHint: true } })], { target })?.name).toBe(
      "a",
    );
  });
});

/** A schema that no form can be sure about. */
function hostile(): Tool["inputSchema"] {
  return { type: "object", required: "everything" } as unknown as Tool["inputSchema"];
}
