import { type AnswerContext, tokensOf, tokensOfParts, type WireWriter } from "./wire-writer.ts";

/** Writes OpenAI's chat completions. */
export function openaiWire({
  request,
  id: answer,
  includeUsage,
  inputTokens,
}: AnswerContext): WireWriter {
  const id = `chatcmpl-${answer}`;
  const created = Math.floor(Date.now() / 1000);
  const usageOf = (completion: number) => ({
    prompt_tokens: inputTokens,
    completion_tokens: completion,
    total_tokens: inputTokens + completion,
  });
  let calls = 0;
  let inCall = false;
  let written = 0;
  const event = (fields: object) =>
    `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created, model: request.model, ...fields })}\n\n`;
  const delta = (delta: object, finish: string | null = null) =>
    event({ choices: [{ index: 0, delta, finish_reason: finish }] });
  const callId = () => `call_${answer}_${calls}`;

  return {
    body(parts) {
      const text = parts.flatMap((part) => (part.kind === "text" ? part.chunks : [])).join("");
      const tools = parts
        .filter((part) => part.kind === "call")
        .map(({ name, chunks }) => {
          calls++;
          return { id: callId(), type: "function", function: { name, arguments: chunks.join("") } };
        });
      return {
        id,
        object: "chat.completion",
        created,
        model: request.model,
        choices: [
          {
            index: 0,
            message: {
              role: "assistant",
              content: text || null,
              ...(tools.length > 0 && { tool_calls: tools }),
            },
            finish_reason: tools.length > 0 ? "tool_calls" : "stop",
          },
        ],
        usage: usageOf(tokensOfParts(parts)),
      };
    },
    start: () => delta({ role: "assistant", content: "" }),
    begin(part) {
      inCall = part.kind === "call";
      if (part.kind === "text") return "";
      calls++;
      const call = {
        index: calls - 1,
        id: callId(),
        type: "function",
        function: { name: part.name, arguments: "" },
      };
      return delta({ tool_calls: [call] });
    },
    chunk(text) {
      written += tokensOf(text);
      return inCall
        ? delta({ tool_calls: [{ index: calls - 1, function: { arguments: text } }] })
        : delta({ content: text });
    },
    end: () => "",
    finish: () =>
      delta({}, calls > 0 ? "tool_calls" : "stop") +
      (includeUsage ? event({ choices: [], usage: usageOf(written) }) : "") +
      "data: [DONE]\n\n",
  };
}
