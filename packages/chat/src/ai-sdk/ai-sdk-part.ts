import type { ToolPart, ToolPartState } from "../tool-part.ts";

/** The part of a tool part of the AI SDK (`tool-*` or `dynamic-tool`) that we use. */
export interface AiSdkToolPart {
  type: string;
  toolName?: string;
  toolCallId: string;
  state: string;
  input?: unknown;
  rawInput?: unknown;
  output?: unknown;
  errorText?: string | undefined;
  preliminary?: boolean | undefined;
  approval?: { approved?: boolean | undefined } | undefined;
}

const STATES: Record<string, ToolPartState> = {
  "input-streaming": "streaming",
  "input-available": "input",
  "approval-requested": "input",
  "approval-responded": "input",
  "output-available": "result",
  "output-error": "error",
  "output-denied": "denied",
};

/** Whether a part of a message is a tool call. */
export function isToolPart(part: { type: string }): part is AiSdkToolPart {
  return part.type === "dynamic-tool" || /^tool-./.test(part.type);
}

/** The tool's name, as the model wrote it. */
export function toolNameOf({ type, toolName }: AiSdkToolPart): string {
  return toolName ?? type.replace(/^tool-/, "");
}

/**
 * A tool part in our words. `isRunning` tells whether the model is still working on its message: a call
 * without a result was stopped otherwise.
 */
export function toToolPart(part: AiSdkToolPart, { isRunning }: { isRunning: boolean }): ToolPart {
  const { approval, errorText } = part;
  const told = STATES[part.state] ?? "input";
  const isWaiting = part.state === "approval-requested";
  const isDenied = told === "input" && approval?.approved === false;
  const isStopped = (told === "streaming" || told === "input") && !isRunning && !isWaiting;
  return {
    callId: part.toolCallId,
    name: toolNameOf(part),
    state: isDenied ? "denied" : isStopped ? "stopped" : told,
    input: part.input,
    ...(typeof part.rawInput === "string" && { inputText: part.rawInput }),
    // A preliminary output would count as the result, and a view gets only one.
    ...(part.preliminary !== true && { result: part.output }),
    ...(part.preliminary === true && { state: "input" as const }),
    ...(errorText !== undefined && { errorText }),
    isApproved: approval?.approved === true,
  };
}
