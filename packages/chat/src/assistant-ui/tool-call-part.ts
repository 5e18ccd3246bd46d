// A tool call as assistant-ui describes it.

import type { ToolPart } from "../tool-part.ts";

/** The fields of assistant-ui's `ToolCallMessagePartProps` that we use. */
export interface ToolCallPartProps {
  toolCallId: string;
  toolName: string;
  args: unknown;
  argsText: string;
  result?: unknown;
  isError?: boolean | undefined;
  status: { type: string; reason?: string };
  approval?: { approved?: boolean | undefined } | undefined;
}

/** Maps a tool call of assistant-ui. */
export function toolPartOf(props: ToolCallPartProps): ToolPart {
  const { toolCallId: callId, toolName: name, args: input, argsText: inputText } = props;
  const part = {
    callId,
    name,
    input,
    inputText,
    ...(props.approval?.approved === true && { isApproved: true }),
  };
  if (props.approval?.approved === false) return { ...part, state: "denied" };
  if (props.result !== undefined) {
    const errorText = props.isError ? errorOf(props.result) : undefined;
    return errorText === undefined
      ? { ...part, state: "result", result: props.result }
      : { ...part, state: "error", errorText };
  }
  if (props.status.type === "running")
    return { ...part, state: isComplete(inputText) ? "input" : "streaming" };
  if (props.status.type === "requires-action" && props.approval) return { ...part, state: "input" };
  // Nothing runs any more, and the call has no result. assistant-ui still calls this "requires-action".
  return { ...part, state: "stopped" };
}

/** Runtimes write the text of a failed call into `{ error }`. */
function errorOf(result: unknown): string | undefined {
  if (typeof result === "string") return result;
  const { error } = Object(result) as { error?: unknown };
  return typeof error === "string" ? error : undefined;
}

function isComplete(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
