"use client";

import { type UseChatHelpers, useChat } from "@ai-sdk/react";
import {
  type ChatInit,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from "ai";
import { useEffect, useMemo, useRef } from "react";
import type { ChatApps } from "../chat-apps.ts";
import type { ChatThread } from "../chat-thread.ts";
import { isToolPart, toolNameOf } from "./ai-sdk-part.ts";
import { acceptViewParts } from "./view-parts.ts";

/** Options of `useMcpChat`: those of `useChat`, and the address of your route. */
export interface McpChatOptions extends Omit<ChatInit<UIMessage>, "transport" | "onToolCall"> {
  /** The conversation's id; its views are stored under it. */
  id: string;
  /** Your route that calls `prepareTurn`; `/api/chat` by default. */
  api?: string;
  headers?: () => Record<string, string>;
  /** Added to the body of each request. */
  body?: () => object;
  /** Milliseconds between two renderings while a message streams. */
  throttle?: number;
}

/** `useChat`, with the apps of its conversation. */
export interface McpChat extends UseChatHelpers<UIMessage> {
  apps: ChatApps;
  thread: ChatThread;
}

// Turns that begin by themselves after a tool of a view has answered; then the user has to go on.
const MOST_TURNS = 20;

/**
 * `useChat` of the AI SDK for a conversation with apps: sends what views tell the model, calls the tools
 * that views offer, and lets views send messages.
 */
export function useMcpChat(apps: ChatApps, options: McpChatOptions): McpChat {
  const { id, api = "/api/chat", headers, body, throttle, ...init } = options;
  const thread = apps.thread(id);
  const given = useRef({ headers, body });
  given.current = { headers, body };
  const turns = useRef(0);

  const transport = useMemo(
    () =>
      new DefaultChatTransport({
        api,
        prepareSendMessagesRequest: async ({ id, messages, trigger, messageId }) => ({
          headers: given.current.headers?.() ?? {},
          body: {
            ...given.current.body?.(),
            id,
            messages,
            trigger,
            messageId,
            apps: await thread.turn(),
          },
        }),
      }),
    [api, thread],
  );
  const running = useRef(new AbortController());
  const chat = useChat({
    ...init,
    id,
    transport,
    ...(throttle !== undefined && { throttle }),
    onData: (part) => {
      if (!acceptViewParts(apps, part)) init.onData?.(part);
    },
    onToolCall: ({ toolCall }) => {
      const { toolName, toolCallId, input } = toolCall;
      if (!thread.isAppTool(toolName)) return;
      const { signal } = running.current;
      // Not awaited: the stream can't end while this handler runs.
      void thread.callAppTool(toolName, input, { signal }).then(
        (output) =>
          chat.addToolOutput({ tool: toolName as never, toolCallId, output: output as never }),
        () => {},
      );
    },
    sendAutomaticallyWhen: ({ messages }) => {
      const isDue =
        lastAssistantMessageIsCompleteWithApprovalResponses({ messages }) ||
        (endsWithAppTool(messages, thread) &&
          lastAssistantMessageIsCompleteWithToolCalls({ messages }));
      return isDue && ++turns.current <= MOST_TURNS;
    },
  });

  const { status, sendMessage } = chat;
  const current = useRef({ status, sendMessage });
  current.current = { status, sendMessage };
  useEffect(
    () =>
      thread.connect({
        send: async (text) => {
          await untilReady(() => current.current.status);
          turns.current = 0;
          // Not awaited: it ends with the model's turn, and the view waits for this answer.
          void current.current.sendMessage({ text });
        },
      }),
    [thread],
  );
  const stop: McpChat["stop"] = async () => {
    running.current.abort();
    running.current = new AbortController();
    await chat.stop();
  };
  const send: McpChat["sendMessage"] = (...message) => {
    turns.current = 0;
    return chat.sendMessage(...message);
  };
  return { ...chat, sendMessage: send, stop, apps, thread };
}

/** Whether the last step has called a tool of a view. */
function endsWithAppTool(messages: readonly UIMessage[], thread: ChatThread): boolean {
  const parts = messages.at(-1)?.parts ?? [];
  const begin = parts.findLastIndex(({ type }) => type === "step-start");
  return parts
    .slice(begin + 1)
    .some((part) => isToolPart(part) && thread.isAppTool(toolNameOf(part)));
}

const WAIT = 100;
const LONGEST_WAIT = 60_000;

/** A view may send a message while the model writes; it comes next. */
async function untilReady(status: () => string): Promise<void> {
  for (let waited = 0; status() === "streaming" || status() === "submitted"; waited += WAIT) {
    if (waited > LONGEST_WAIT) throw new Error("The model is still writing.");
    await new Promise((resolve) => setTimeout(resolve, WAIT));
  }
}
