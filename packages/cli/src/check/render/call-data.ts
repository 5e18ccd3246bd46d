import { sampleArguments } from "@vitrine/conformance/reading";
import type { Json } from "../json.ts";
import type { UiTool } from "../survey/survey.ts";
import type { ToolCall } from "../survey/tool-calls.ts";
import type { CallData } from "./runs.ts";

/** What a View is told of its call: what the tool answered, or something of the form it promises. */
export function callDataOf({ name, tool }: UiTool, calls: readonly ToolCall[]): CallData {
  const call = calls.find((one) => one.name === name);
  const input: Json = call?.arguments ?? sampleArguments(tool.inputSchema);
  if (call?.result) {
    // Arguments that nobody chose are a guess, where there are any at all.
    const isGuessed = !call.isGiven && Object.keys(input).length > 0;
    return { tool, input, result: call.result, ...(isGuessed && { isGuessed }) };
  }
  const text = { type: "text", text: "A result that vitrine check has made up." };
  return {
    tool,
    input,
    result: {
      content: [text],
      ...(tool.outputSchema && { structuredContent: sampleArguments(tool.outputSchema) }),
    },
    isMadeUp: true,
  };
}
