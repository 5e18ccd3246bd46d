// `@vitrine/chat/ag-ui/react`: the same for React, with CopilotKit or without it.

"use client";

import { McpApp } from "@vitrine/host/react";
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from "react";
import type { ChatApps } from "../chat-apps.ts";
import type { AgUiAgent } from "./agent.ts";
import { AgentApps, type AgentAppsOptions } from "./agent-apps.ts";

const AgentContext = createContext<AgentApps | undefined>(undefined);

/** Connects an agent with the views of its conversation while the component is mounted. */
export function useAgentApps(
  apps: ChatApps,
  agent: AgUiAgent,
  options: AgentAppsOptions = {},
): AgentApps {
  const { id, acceptViews = false } = options;
  const run = useRef(options.run);
  run.current = options.run;
  const connection = useMemo(
    () =>
      new AgentApps(apps, agent, {
        ...(id !== undefined && { id }),
        acceptViews,
        run: () => (run.current ? run.current() : agent.runAgent()),
      }),
    [apps, agent, id, acceptViews],
  );
  useEffect(() => connection.connect(), [connection]);
  useVersion(connection);
  return connection;
}

function useVersion(connection: AgentApps): number {
  const subscribe = useMemo(
    () => (listener: () => void) => connection.onChange(listener),
    [connection],
  );
  return useSyncExternalStore(
    subscribe,
    () => connection.version,
    () => 0,
  );
}

/** Gives a connection to the components below. */
export function McpAgentProvider(props: { agent: AgentApps; children?: ReactNode }): ReactElement {
  const { agent, children } = props;
  return createElement(AgentContext.Provider, { value: agent }, children);
}

/** Properties of `<McpAppToolCall>`. CopilotKit's renderers for tool calls pass the id. */
export interface McpAppToolCallProps {
  toolCallId: string;
  /** Shown if the tool has no view, until the view is there, and if it can't be shown. */
  fallback?: ReactNode;
}

/** Shows the view of a tool call. Use it as CopilotKit's renderer for `"*"`, or in your own messages. */
export function McpAppToolCall({ toolCallId, fallback }: McpAppToolCallProps): ReactElement | null {
  const connection = useContext(AgentContext);
  if (!connection) throw new Error("Put <McpAppToolCall> inside of <McpAgentProvider>.");
  useVersion(connection);
  const view = connection.view(toolCallId);
  if (!view) return fallback === undefined ? null : createElement("div", null, fallback);
  return createElement(McpApp, { ...view, fallback });
}
