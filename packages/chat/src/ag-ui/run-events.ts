// Writes the stream of the AI SDK as events of AG-UI.

import type { TextStreamPart, ToolSet } from "ai";
import { modelText } from "../server/model-result.ts";
import { DENIED_KEY, isResult, RESULT_KEY } from "./tool-calls.ts";

/** An event of AG-UI. `type` is the name of one of its events. */
export interface AgUiEvent {
  type: string;
  [field: string]: unknown;
}

/** Turns the parts of a run's stream into events. */
export class RunEvents {
  readonly #run: { threadId: string; runId: string };
  readonly #describeError: (error: unknown) => string;
  readonly #texts = new Map<string, string>();
  readonly #calls = new Map<string, { isEnded: boolean }>();
  #message = crypto.randomUUID();
  #hasText = false;
  #isOver = false;

  constructor(run: { threadId: string; runId: string }, describeError: (error: unknown) => string) {
    this.#run = run;
    this.#describeError = describeError;
  }

  start(): AgUiEvent[] {
    return [{ type: "RUN_STARTED", ...this.#run }];
  }

  /** Ends the run, unless it failed. The page answers the calls of app tools and runs again. */
  finish(): AgUiEvent[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    // Without an outcome, which means success: CopilotKit's older client rejects one that names the calls
    // which are left to the page.
    return [{ type: "RUN_FINISHED", ...this.#run }];
  }

  fail(error: unknown): AgUiEvent[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    return [{ type: "RUN_ERROR", message: this.#describeError(error) }];
  }

  part(part: TextStreamPart<ToolSet>): AgUiEvent[] {
    switch (part.type) {
      case "start-step":
        this.#message = crypto.randomUUID();
        this.#hasText = false;
        return [];
      case "text-start":
      case "text-delta":
      case "text-end":
        return this.#text(part);
      case "tool-input-start":
        return this.#startCall(part.id, part.toolName);
      case "tool-input-delta":
        return part.delta === ""
          ? []
          : [{ type: "TOOL_CALL_ARGS", toolCallId: part.id, delta: part.delta }];
      case "tool-input-end":
        return this.#endCall(part.id);
      case "tool-call":
        return this.#wholeCall(part.toolCallId, part.toolName, part.input);
      case "tool-result":
        return part.preliminary ? [] : this.#result(part.toolCallId, part.output);
      case "tool-error":
        return this.#result(part.toolCallId, errorResult(part.error));
      case "tool-output-denied":
        return this.#answer(part.toolCallId, "The call wasn't allowed.", { [DENIED_KEY]: true });
      case "error":
        return this.fail(part.error);
      default:
        return [];
    }
  }

  #text(part: { type: "text-start" | "text-delta" | "text-end"; id: string; text?: string }) {
    if (part.type === "text-start") {
      // Providers number their texts again in each step; ids of messages must be new.
      const messageId = this.#hasText ? crypto.randomUUID() : this.#message;
      this.#hasText = true;
      this.#texts.set(part.id, messageId);
      return [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }];
    }
    const messageId = this.#texts.get(part.id);
    if (messageId === undefined) return [];
    if (part.type === "text-end") return [{ type: "TEXT_MESSAGE_END", messageId }];
    return part.text ? [{ type: "TEXT_MESSAGE_CONTENT", messageId, delta: part.text }] : [];
  }

  #startCall(toolCallId: string, toolCallName: string): AgUiEvent[] {
    this.#calls.set(toolCallId, { isEnded: false });
    return [{ type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId: this.#message }];
  }

  #endCall(toolCallId: string): AgUiEvent[] {
    const call = this.#calls.get(toolCallId);
    if (!call || call.isEnded) return [];
    call.isEnded = true;
    return [{ type: "TOOL_CALL_END", toolCallId }];
  }

  /** A call after its arguments. Providers that don't stream arguments send only this. */
  #wholeCall(toolCallId: string, name: string, input: unknown): AgUiEvent[] {
    if (this.#calls.has(toolCallId)) return this.#endCall(toolCallId);
    const delta = typeof input === "string" ? input : JSON.stringify(input ?? {});
    return [
      ...this.#startCall(toolCallId, name),
      { type: "TOOL_CALL_ARGS", toolCallId, delta },
      ...this.#endCall(toolCallId),
    ];
  }

  #result(toolCallId: string, output: unknown): AgUiEvent[] {
    const result = isResult(output)
      ? output
      : { content: [{ type: "text" as const, text: JSON.stringify(output) ?? "" }] };
    return this.#answer(toolCallId, modelText(result), { [RESULT_KEY]: result });
  }

  #answer(toolCallId: string, content: string, metadata: Record<string, unknown>): AgUiEvent[] {
    const call = this.#calls.get(toolCallId);
    if (!call) return [];
    const messageId = crypto.randomUUID();
    return [
      ...this.#endCall(toolCallId),
      { type: "TOOL_CALL_RESULT", messageId, toolCallId, content, role: "tool", metadata },
    ];
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const errorResult = (error: unknown) => ({
  content: [{ type: "text" as const, text: messageOf(error) }],
  isError: true,
});
