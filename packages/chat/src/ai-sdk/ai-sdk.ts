"use client";

// `@vitrine/chat/ai-sdk`: the page of a product that uses the AI SDK with React. Adding a name here
// makes it public.

export { type AiSdkToolPart, isToolPart, toToolPart } from "./ai-sdk-part.ts";
export {
  McpAppPart,
  type McpAppPartProps,
  McpAppsProvider,
  type McpAppsProviderProps,
} from "./mcp-app-part.ts";
export { type McpChat, type McpChatOptions, useMcpChat } from "./use-mcp-chat.ts";
