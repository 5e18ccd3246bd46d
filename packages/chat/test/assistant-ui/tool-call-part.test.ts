import { expect, test } from "vitest";
import { type ToolCallPartProps, toolPartOf } from "../../src/assistant-ui/tool-call-part.ts";

const call: ToolCallPartProps = {
  toolCallId: "c1",
  toolName: "trips__plan_trip",
  args: { days: 3 },
  argsText: '{"days":3}',
  status: { type: "running" },
};
const result = { content: [{ type: "text", text: "Done" }] };

test.each<[string, Partial<ToolCallPartProps>, object]>([
  ["arguments that the model is writing", { argsText: '{"days":3' }, { state: "streaming" }],
  ["a call without any argument yet", { args: {}, argsText: "{" }, { state: "streaming" }],
  ["complete arguments", {}, { state: "input", input: { days: 3 } }],
  ["a result", { result, status: { type: "complete" } }, { state: "result", result }],
  [
    "a result with an error of the tool",
    { result: { ...result, isError: true }, status: { type: "complete" } },
    { state: "result" },
  ],
  [
    "a call that failed",
    { result: { error: "No network" }, isError: true, status: { type: "complete" } },
    { state: "error", errorText: "No network" },
  ],
  [
    "a call that the user denied",
    {
      approval: { approved: false },
      result: { error: "denied" },
      isError: true,
      status: { type: "complete" },
    },
    { state: "denied" },
  ],
  [
    "a call that waits for approval",
    { approval: {}, status: { type: "requires-action", reason: "interrupt" } },
    { state: "input" },
  ],
  [
    "an approved call that runs",
    { approval: { approved: true } },
    { state: "input", isApproved: true },
  ],
  [
    "a call of a run that was stopped",
    { status: { type: "incomplete", reason: "cancelled" } },
    { state: "stopped" },
  ],
  [
    "a stopped call in a conversation that was reloaded",
    { status: { type: "requires-action", reason: "tool-calls" } },
    { state: "stopped" },
  ],
])("maps %s", (_, props, expected) => {
  expect(toolPartOf({ ...call, ...props })).toMatchObject({
    callId: "c1",
    name: "trips__plan_trip",
    ...expected,
  });
});
