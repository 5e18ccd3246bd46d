import { McpApp } from "@vitrine/host/react";
import { createElement, type ReactElement, type ReactNode, useSyncExternalStore } from "react";
import { useProvidedChat } from "../ai-sdk/mcp-app-part.ts";
import { type ToolCallPartProps, toolPartOf } from "./tool-call-part.ts";

/** Properties of `<McpAppToolUI>`: those that assistant-ui passes to components of tool calls. */
export interface McpAppToolUIProps extends ToolCallPartProps {
  /** Shown if the tool has no view, until the view is there, and if it can't be shown. */
  fallback?: ReactNode;
}

/**
 * Shows the view of a tool call, as the component for all tools:
 * `<MessagePrimitive.Parts components={{ tools: { Fallback: McpAppToolUI } }} />`.
 */
export function McpAppToolUI(props: McpAppToolUIProps): ReactElement | null {
  const { fallback, toolName } = props;
  const { apps, thread } = useProvidedChat("<McpAppToolUI>");
  // The tools with views are known a moment after the page has loaded.
  useSyncExternalStore(
    apps.onChange,
    () => apps.find(toolName),
    () => undefined,
  );
  const view = thread.view(toolPartOf(props));
  if (!view) return fallback === undefined ? null : createElement("div", null, fallback);
  return createElement(McpApp, { ...view, fallback });
}
