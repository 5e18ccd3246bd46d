import { type AnswerContext, tokensOf, tokensOfParts, type WireWriter } from "./wire-writer.ts";

/** Writes Anthropic's messages. */
export function anthropicWire({ request, id: answer, inputTokens }: AnswerContext): WireWriter {
  const message = { id: `msg_${answer}`, type: "message", role: "assistant", model: request.model };
  let block = -1;
  let calls = 0;
  let inCall = false;
  let written = 0;
  const event = (type: string, fields: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const callId = () => `toolu_${answer}_${calls}`;

  return {
    body(parts) {
      const content = parts.flatMap((part): object[] => {
        if (part.kind === "wait") return [];
        const text = part.chunks.join("");
        if (part.kind === "text") return [{ type: "text", text }];
        calls++;
        return [{ type: "tool_use", id: callId(), name: part.name, input: JSON.parse(text) }];
      });
      return {
        ...message,
        content,
        stop_reason: calls > 0 ? "tool_use" : "end_turn",
        stop_sequence: null,
        usage: { input_tokens: inputTokens, output_tokens: tokensOfParts(parts) },
      };
    },
    start: () =>
      event("message_start", {
        message: {
          ...message,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: inputTokens, output_tokens: 0 },
        },
      }) + event("ping", {}),
    begin(part) {
      block++;
      inCall = part.kind === "call";
      if (part.kind === "text")
        return event("content_block_start", {
          index: block,
          content_block: { type: "text", text: "" },
        });
      calls++;
      return event("content_block_start", {
        index: block,
        content_block: { type: "tool_use", id: callId(), name: part.name, input: {} },
      });
    },
    chunk(text) {
      written += tokensOf(text);
      const delta = inCall
        ? { type: "input_json_delta", partial_json: text }
        : { type: "text_delta", text };
      return event("content_block_delta", { index: block, delta });
    },
    end: () => event("content_block_stop", { index: block }),
    finish: () =>
      event("message_delta", {
        delta: { stop_reason: calls > 0 ? "tool_use" : "end_turn", stop_sequence: null },
        usage: { output_tokens: written },
      }) + event("message_stop", {}),
  };
}
