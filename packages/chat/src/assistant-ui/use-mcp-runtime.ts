import type { AssistantRuntime } from "@assistant-ui/react";
import { useAISDKRuntime } from "@assistant-ui/react-ai-sdk";
import { type McpChat, type McpChatOptions, useMcpChat } from "../ai-sdk/use-mcp-chat.ts";
import type { ChatApps } from "../chat-apps.ts";

/** Options of `useMcpRuntime`. */
export interface McpRuntimeOptions extends McpChatOptions {
  /** What `useAISDKRuntime` takes: adapters for attachments, history, speech and so on. */
  runtime?: Parameters<typeof useAISDKRuntime>[1];
}

/** A runtime of assistant-ui, and the chat behind it. */
export interface McpRuntime {
  runtime: AssistantRuntime;
  /** For `<McpAppsProvider chat={chat}>`. */
  chat: McpChat;
}

/** Use it in the place of `useChatRuntime`: the same, with the apps of the conversation. */
export function useMcpRuntime(apps: ChatApps, options: McpRuntimeOptions): McpRuntime {
  const { runtime, ...init } = options;
  const chat = useMcpChat(apps, init);
  return { runtime: useAISDKRuntime(chat, runtime), chat };
}
