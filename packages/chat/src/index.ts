// The page's half, for any framework. Adding a name here makes it public.

export { type ChatApps, type ChatAppsOptions, createChatApps } from "./chat-apps.ts";
export type {
  ChatThread,
  FoundTool,
  ThreadActions,
  Turn,
  ViewProperties,
} from "./chat-thread.ts";
export { modelToolName } from "./tool-name.ts";
export { type ToolPart, type ToolPartState, toolDataOf } from "./tool-part.ts";
export type { AppToolDefinition } from "./view-tools.ts";
