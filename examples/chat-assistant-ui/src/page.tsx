// The page: a thread of assistant-ui, and the views of its tools.

import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
} from "@assistant-ui/react";
import { createChatApps } from "@vitrine/chat";
import { McpAppsProvider, McpAppToolUI, useMcpRuntime } from "@vitrine/chat/assistant-ui";
import { webStore } from "@vitrine/host";
import type { UIMessage } from "ai";
import { useEffect } from "react";
import { createRoot } from "react-dom/client";

const id = new URLSearchParams(location.search).get("id") ?? "first";
const apps = createChatApps({
  url: "/api/apps",
  sample: "/api/sample",
  sandbox: import.meta.env.VITE_SANDBOX,
  store: webStore(),
});

// Yours come from your database.
const stored = `messages of ${id}`;
const messages = JSON.parse(localStorage.getItem(stored) ?? "[]") as UIMessage[];

function Chat() {
  const { runtime, chat } = useMcpRuntime(apps, { id, messages });
  useEffect(() => {
    if (chat.status === "ready") localStorage.setItem(stored, JSON.stringify(chat.messages));
  }, [chat.status, chat.messages]);
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <McpAppsProvider chat={chat}>
        <ThreadPrimitive.Root>
          <ThreadPrimitive.Viewport>
            <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
            {chat.error && <p role="alert">The model didn't answer. Try again.</p>}
          </ThreadPrimitive.Viewport>
          <ComposerPrimitive.Root>
            <ComposerPrimitive.Input aria-label="Message" data-testid="composer" />
            <ThreadPrimitive.If running={false}>
              <ComposerPrimitive.Send data-testid="send">Send</ComposerPrimitive.Send>
            </ThreadPrimitive.If>
            <ThreadPrimitive.If running>
              <ComposerPrimitive.Cancel data-testid="stop">Stop</ComposerPrimitive.Cancel>
            </ThreadPrimitive.If>
          </ComposerPrimitive.Root>
        </ThreadPrimitive.Root>
      </McpAppsProvider>
    </AssistantRuntimeProvider>
  );
}

function UserMessage() {
  return (
    <MessagePrimitive.Root data-role="user">
      <MessagePrimitive.Parts />
    </MessagePrimitive.Root>
  );
}

function AssistantMessage() {
  return (
    <MessagePrimitive.Root data-role="assistant">
      <MessagePrimitive.Parts components={{ tools: { Fallback: ToolCall } }} />
    </MessagePrimitive.Root>
  );
}

function ToolCall(props: ToolCallMessagePartProps) {
  return <McpAppToolUI {...props} fallback={<code>{props.toolName}</code>} />;
}

const root = document.querySelector("#root");
if (root) createRoot(root).render(<Chat />);
