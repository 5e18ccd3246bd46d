"use client";

// `@vitrine/chat/assistant-ui`: the page of a product that uses assistant-ui with the AI SDK. Adding a
// name here makes it public.

export { McpAppsProvider, type McpAppsProviderProps } from "../ai-sdk/mcp-app-part.ts";
export { type ToolCallPartProps, toolPartOf } from "./tool-call-part.ts";
export { McpAppToolUI, type McpAppToolUIProps } from "./tool-ui.ts";
export { type McpRuntime, type McpRuntimeOptions, useMcpRuntime } from "./use-mcp-runtime.ts";
