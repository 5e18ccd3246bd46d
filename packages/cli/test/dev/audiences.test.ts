import { describe, expect, it } from "vitest";
import { audiencesOf, tokensOf } from "../../pages/dev/audiences.ts";

const tool = {
  name: "orders",
  description: "Lists\u200b orders",
  inputSchema: { type: "object" as const },
  _meta: { ui: { resourceUri: "ui://a" } },
};
const result = {
  content: [
    { type: "text" as const, text: "Two orders" },
    { type: "text" as const, text: "For you", annotations: { audience: ["user" as const] } },
  ],
  structuredContent: { rows: [1, 2] },
  _meta: { token: "secret" },
};

describe("the audiences of a run", () => {
  it("keep private data from the model, and structured data when there is text", () => {
    const [model, view, code] = audiencesOf({ tool, arguments: { page: 1 }, result });
    expect(model.parts.map(({ label }) => label)).toEqual([
      "Tool definition",
      "Input",
      "Result text",
    ]);
    expect(JSON.stringify(model)).not.toMatch(/secret|rows|For you|\u200b/);
    expect(view.parts.map(({ label, value }) => [label, value])).toEqual([
      ["Input", { page: 1 }],
      ["structuredContent", { rows: [1, 2] }],
      ["content", result.content],
    ]);
    expect(code.parts.map(({ value }) => value)).toEqual([{ token: "secret" }, tool._meta]);
  });

  it("show the structured data that the model gets when there is no text", () => {
    const [model] = audiencesOf({ tool, arguments: {}, result: { ...result, content: [] } });
    expect(model.parts.at(-1)).toEqual({
      label: "Result text",
      value: '{"rows":[1,2]}',
      characters: 14,
    });
  });

  it("leave out the model for a tool that is only for views", () => {
    const hidden = { ...tool, _meta: { ui: { visibility: ["app"] } } };
    const [model, view] = audiencesOf({ tool: hidden, arguments: {}, result });
    expect(model.parts).toEqual([]);
    expect(view.parts).toHaveLength(3);
  });

  it("include what the view tells the model, and a size", () => {
    const entry = { key: "a", content: [{ type: "text" as const, text: "Row 2 is open" }] };
    const [model] = audiencesOf({ tool, arguments: {} }, [entry]);
    expect(model.parts.at(-1)?.value).toContain("Row 2 is open");
    expect(tokensOf(401)).toBe(101);
  });
});
