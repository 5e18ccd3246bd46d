import { expect, test } from "vitest";
import { toolDataOf } from "../src/tool-part.ts";

const part = { callId: "1", name: "trips__plan" };

test("arguments that the model is writing are partial input, from an object or from text", () => {
  expect(toolDataOf({ ...part, state: "streaming", input: { city: "Os" } })).toEqual({
    partialInput: { city: "Os" },
  });
  expect(toolDataOf({ ...part, state: "streaming", inputText: '{"city":"Os' })).toEqual({
    partialInput: { city: "Os" },
  });
});

test("a result arrives with its input, whole and as the same object each time", () => {
  const result = { content: [], structuredContent: { a: 1 }, _meta: { b: 2 } };
  const data = toolDataOf({ ...part, state: "result", input: { city: "Oslo" }, result });
  expect(data).toEqual({ input: { city: "Oslo" }, result });
  expect(data.result).toBe(result);
});

test("a result that a library reduced to text or data becomes one again", () => {
  const whole = { content: [{ type: "text", text: "done" }], structuredContent: { a: 1 } };
  const read = (result: unknown) => toolDataOf({ ...part, state: "result", result }).result;
  expect(read(JSON.stringify(whole))).toEqual(whole);
  expect(read("done")).toEqual({ content: [{ type: "text", text: "done" }] });
  expect(read({ a: 1 })).toMatchObject({ structuredContent: { a: 1 } });
  expect(read("done")).toBe(read("done"));
  expect(read('{"content":3}')).toMatchObject({ content: [{ text: '{"content":3}' }] });
});

test("a stopped or denied call is cancelled, and a failed one is an error result", () => {
  expect(toolDataOf({ ...part, state: "stopped" }).cancelled).toMatch(/stopped/);
  expect(toolDataOf({ ...part, state: "denied" }).cancelled).toMatch(/didn't allow/);
  const failed = { ...part, state: "error", errorText: "No seats" } as const;
  expect(toolDataOf(failed).result).toEqual({
    content: [{ type: "text", text: "No seats" }],
    isError: true,
  });
  expect(toolDataOf(failed).result).toBe(toolDataOf(failed).result);
});
