import { expect, test } from "vitest";
import { type AiSdkToolPart, isToolPart, toToolPart } from "../../src/ai-sdk/ai-sdk-part.ts";

const part = { type: "dynamic-tool", toolName: "trips__plan", toolCallId: "1", input: {} };

function stateOf(state: string, more: Partial<AiSdkToolPart> = {}, isRunning = true): string {
  return toToolPart({ ...part, state, ...more }, { isRunning }).state;
}

test("every state of a tool part has one of a view", () => {
  expect(stateOf("input-streaming")).toBe("streaming");
  expect(stateOf("input-available")).toBe("input");
  expect(stateOf("approval-requested")).toBe("input");
  expect(stateOf("approval-responded", { approval: { approved: true } })).toBe("input");
  expect(stateOf("approval-responded", { approval: { approved: false } })).toBe("denied");
  expect(stateOf("output-available")).toBe("result");
  expect(stateOf("output-available", { preliminary: true })).toBe("input");
  expect(stateOf("output-error")).toBe("error");
  expect(stateOf("output-denied")).toBe("denied");
});

test("a call without a result in a message that has ended was stopped, unless it waits for the user", () => {
  expect(stateOf("input-streaming", {}, false)).toBe("stopped");
  expect(stateOf("input-available", {}, false)).toBe("stopped");
  expect(stateOf("approval-requested", {}, false)).toBe("input");
  expect(stateOf("output-available", {}, false)).toBe("result");
});

test("typed tools have their name in the type of the part", () => {
  const typed = { type: "tool-trips__plan", toolCallId: "1", state: "output-available" };
  expect(isToolPart(typed)).toBe(true);
  expect(isToolPart({ type: "text" })).toBe(false);
  expect(toToolPart(typed as AiSdkToolPart, { isRunning: false }).name).toBe("trips__plan");
});
