import type { CallToolResult } from "@vitrine/protocol/apps";
import type { AgUiAgent, AgUiMessage } from "./agent.ts";
import { callsOf, isResult, RESULT_KEY } from "./tool-calls.ts";

/** The whole results of a conversation's calls, of which messages have the text. */
export class WholeResults {
  readonly byCall: Map<string, CallToolResult> = new Map();

  /** Keeps the result of a call, unless it isn't one. */
  keep(callId: string, result: unknown): void {
    if (isResult(result) && !this.byCall.has(callId)) this.byCall.set(callId, result);
  }

  /** Reads stored messages. Agents copy their messages, and a view needs the same object again. */
  read(messages: readonly AgUiMessage[]): void {
    for (const { call, answer } of callsOf(messages))
      this.keep(call.id, answer?.metadata?.[RESULT_KEY]);
  }

  /**
   * Puts whole results into their messages, because products store messages and nothing else. An agent
   * that sends all messages again at the end of a run has replaced those that had them.
   */
  store(agent: AgUiAgent): void {
    let isChanged = false;
    const messages = agent.messages.map((message: AgUiMessage) => {
      const result = message.toolCallId && this.byCall.get(message.toolCallId);
      if (!result || message.role !== "tool" || message.metadata?.[RESULT_KEY]) return message;
      isChanged = true;
      return { ...message, metadata: { ...message.metadata, [RESULT_KEY]: result } };
    });
    if (isChanged) agent.setMessages(messages);
  }
}
