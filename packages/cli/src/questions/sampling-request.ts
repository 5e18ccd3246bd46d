// Requests for an answer of a model, read for a page and answered in the user's words. Everything in
// them is text of a server or a view: it is bounded here, and shown as text.

import type { CreateMessageRequestParams, CreateMessageResult } from "@modelcontextprotocol/client";
import type { SampleQuestion } from "./question.ts";

const MOST_MESSAGES = 50;
const LONGEST = 20_000;

/** What a page shows of the request. */
export function readSample(
  params: CreateMessageRequestParams,
): Pick<SampleQuestion, "instructions" | "messages"> {
  const { systemPrompt, messages } = Object(params) as {
    systemPrompt?: unknown;
    messages?: unknown;
  };
  let room = LONGEST;
  const cut = (text: string): string => {
    const part = text.slice(0, room);
    room -= part.length;
    return part.length < text.length ? `${part}… (cut)` : part;
  };
  return {
    ...(typeof systemPrompt === "string" &&
      systemPrompt !== "" && { instructions: cut(systemPrompt) }),
    messages: (Array.isArray(messages) ? messages : [])
      .slice(0, MOST_MESSAGES)
      .map((message: unknown) => {
        const { role, content } = Object(message) as { role?: unknown; content?: unknown };
        return { role: role === "assistant" ? "assistant" : "user", text: cut(textOf(content)) };
      }),
  };
}

/** The result with a text that the user wrote. */
export function writtenAnswer(text: string): CreateMessageResult {
  return {
    role: "assistant",
    model: "written-by-the-user",
    stopReason: "endTurn",
    content: { type: "text", text },
  };
}

function textOf(content: unknown): string {
  return (Array.isArray(content) ? content : [content])
    .map((block: unknown) => {
      const { type, text } = Object(block) as { type?: unknown; text?: unknown };
      return typeof text === "string" ? text : `[${String(type).slice(0, 40)}]`;
    })
    .join("\n");
}
