import { expect, test } from "vitest";
import { modelResult, modelText } from "../../src/server/model-result.ts";

test("the model reads content, and neither structured content nor metadata next to it", () => {
  const result = modelResult({
    content: [
      { type: "text", text: "Oslo, 3 days" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "text", text: "for people", annotations: { audience: ["user"] } },
      { type: "resource", resource: { uri: "file:///a", text: "inside" } },
    ],
    structuredContent: { secret: 1 },
    _meta: { secret: 2 },
  });
  expect(result).toEqual({
    content: [
      { type: "text", text: "Oslo, 3 days" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "text", text: "inside" },
    ],
    isError: false,
  });
});

test("structured content is used where there is nothing else", () => {
  expect(modelText({ content: [], structuredContent: { a: 1 } })).toBe('{"a":1}');
});

test("text is cut, and characters that people can't see are removed", () => {
  const hidden = `a\u{E0041}\u200bb${"x".repeat(300_000)}`;
  const text = modelText({ content: [{ type: "text", text: hidden }], isError: true });
  expect(text.startsWith("abx")).toBe(true);
  expect(text.length).toBeLessThanOrEqual(200_000);
});
