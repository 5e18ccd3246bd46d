import type { OpenedView } from "@vitrine/host/remote";
import type { CallToolResult } from "@vitrine/protocol/apps";
import type { ToolPart } from "../tool-part.ts";
import type { AgUiMessage, AgUiToolCall } from "./agent.ts";

/**
 * Where a tool message keeps the whole result of an MCP tool. Its `content` is the text for the model, and
 * views need structured content and `_meta` as well.
 */
export const RESULT_KEY = "vitrine/result";
/** Set on a tool message whose call the product or the user didn't allow. */
export const DENIED_KEY = "vitrine/denied";

/** The name of the CUSTOM event with the whole result of a call, for agents that keep only its text. */
export const RESULT_EVENT = "vitrine/result";
/** The name of the CUSTOM event with the HTML of a view. */
export const VIEW_EVENT = "vitrine/view";

/** What the page saw of the calls of this run. */
export interface RunState {
  isRunning: boolean;
  /** Calls whose arguments are still being written. */
  writing: ReadonlySet<string>;
  /** Calls of a run that failed, with its message. */
  failed: ReadonlyMap<string, string>;
  /** Whole results by the id of the call. */
  results: ReadonlyMap<string, CallToolResult>;
  /** The arguments of a call as an object, the same one for the same text. */
  readInput(callId: string, text: string): Record<string, unknown> | undefined;
}

/** All calls of the conversation, in order, with the message of their result. */
export function* callsOf(
  messages: readonly AgUiMessage[],
): Generator<{ call: AgUiToolCall; answer: AgUiMessage | undefined }> {
  const answers = new Map<string, AgUiMessage>();
  for (const message of messages)
    if (message.role === "tool" && message.toolCallId) answers.set(message.toolCallId, message);
  for (const { toolCalls = [] } of messages)
    for (const call of toolCalls) yield { call, answer: answers.get(call.id) };
}

/** The part of one call. */
export function partOf(
  { call, answer }: { call: AgUiToolCall; answer: AgUiMessage | undefined },
  run: RunState,
): ToolPart {
  const { id: callId } = call;
  const { name, arguments: inputText } = call.function;
  if (run.isRunning && run.writing.has(callId))
    return { callId, name, state: "streaming", inputText };
  const input = run.readInput(callId, inputText);
  const part = { callId, name, inputText, ...(input && { input }) };
  if (answer) {
    if (answer.metadata?.[DENIED_KEY] === true) return { ...part, state: "denied" };
    const result = run.results.get(callId);
    if (result) return { ...part, state: "result", result };
    if (answer.error !== undefined) return { ...part, state: "error", errorText: answer.error };
    return { ...part, state: "result", result: textOf(answer.content) };
  }
  const errorText = run.failed.get(callId);
  if (errorText !== undefined) return { ...part, state: "error", errorText };
  // After a reload, or when the user stopped the run, nobody will answer the call.
  return { ...part, state: input && run.isRunning ? "input" : "stopped" };
}

/** The arguments of a call, if they are complete. */
export function readInput(text: string): Record<string, unknown> | undefined {
  // Agents send no arguments at all for a tool without parameters.
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value of the agent looks like a result. The host checks the rest before a view gets it. */
export function isResult(value: unknown): value is CallToolResult {
  return (
    typeof value === "object" &&
    value !== null &&
    Array.isArray((value as { content?: unknown }).content)
  );
}

/** Whether a value of the agent looks like a view with its HTML. */
export function isOpenedView(value: unknown): value is OpenedView {
  const { server, tool, resource, view } = Object(value) as Partial<OpenedView>;
  return (
    typeof server === "string" &&
    typeof tool?.name === "string" &&
    Array.isArray(resource?.contents) &&
    typeof view === "string"
  );
}

/** The text of a message, whose content is a text or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: { text?: unknown } | null) => part?.text)
    .filter((text) => typeof text === "string")
    .join("\n");
}
