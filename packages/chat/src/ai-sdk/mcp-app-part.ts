"use client";

import { McpApp, type McpAppProps, VitrineProvider } from "@vitrine/host/react";
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
  useSyncExternalStore,
} from "react";
import { type AiSdkToolPart, isToolPart, toolNameOf, toToolPart } from "./ai-sdk-part.ts";
import type { McpChat } from "./use-mcp-chat.ts";

type Provided = Pick<McpChat, "apps" | "thread" | "status">;

const ChatContext = createContext<Provided | undefined>(undefined);

/** Properties of `<McpAppsProvider>`. */
export interface McpAppsProviderProps {
  /** The result of `useMcpChat`. */
  chat: Provided;
  children?: ReactNode;
}

/** Gives a chat to the `<McpAppPart>`s below, and its host to the components of `@vitrine/host/react`. */
export function McpAppsProvider({ chat, children }: McpAppsProviderProps): ReactElement {
  const { apps, thread, status } = chat;
  // The same value while a message streams, or every view would be drawn again with each word.
  const value = useMemo(() => ({ apps, thread, status }), [apps, thread, status]);
  return createElement(
    ChatContext.Provider,
    { value },
    createElement(VitrineProvider, { host: apps.host, conversation: thread.id }, children),
  );
}

/** The chat of the nearest `<McpAppsProvider>`. */
export function useProvidedChat(component: string): Provided {
  const chat = useContext(ChatContext);
  if (!chat) throw new Error(`${component} needs an <McpAppsProvider chat={chat}> above it.`);
  return chat;
}

/** Properties of `<McpAppPart>`. */
export interface McpAppPartProps
  extends Omit<McpAppProps, "host" | "app" | "input" | "partialInput" | "result" | "cancelled"> {
  /** Any part of a message; nothing is shown unless it is a call of a tool with a view. */
  part: { type: string };
  /**
   * Whether the message that the part belongs to is still being written. By default that is the state of
   * the chat, which is right for the last message; pass `false` for all others.
   */
  isRunning?: boolean;
}

/** Shows the view of a tool call. */
export function McpAppPart({ part, isRunning, ...rest }: McpAppPartProps): ReactElement | null {
  const { apps, thread, status } = useProvidedChat("<McpAppPart>");
  // The tools with views are known a moment after the page has loaded.
  const name = useSyncExternalStore(
    apps.onChange,
    () => nameOf(part, apps),
    () => undefined,
  );
  if (name === undefined) return null;
  const running = isRunning ?? (status === "streaming" || status === "submitted");
  const view = thread.view(toToolPart(part as AiSdkToolPart, { isRunning: running }));
  return view ? createElement(McpApp, { ...rest, ...view }) : null;
}

/** The tool's name if it has a view. */
function nameOf(part: { type: string }, apps: Provided["apps"]): string | undefined {
  if (!isToolPart(part)) return undefined;
  const name = toolNameOf(part);
  return apps.find(name) && name;
}
