// The page with CopilotKit: its provider, agent and renderers of tool calls. It isn't TypeScript because
// CopilotKit is installed outside the repository (install.ts).

import {
  CopilotKitProvider,
  HttpAgent,
  useAgent,
  useCopilotKit,
  useRenderTool,
  useRenderToolCall,
} from "@copilotkit/react-core/v2";
import { createChatApps } from "@vitrine/chat";
import { McpAgentProvider, McpAppToolCall, useAgentApps } from "@vitrine/chat/ag-ui/react";
import { webStore } from "@vitrine/host";
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
const http = new HttpAgent({
  url: "/api/agent",
  threadId: id,
  initialMessages: JSON.parse(localStorage.getItem(stored) ?? "[]"),
});

function Chat() {
  const { agent } = useAgent();
  const { copilotkit } = useCopilotKit();
  const chat = useAgentApps(apps, agent, { id, run: () => copilotkit.runAgent({ agent }) });
  useRenderTool({ name: "*", render: ToolCall });
  const renderToolCall = useRenderToolCall();
  useEffect(
    () =>
      chat.onChange(() => {
        if (!chat.isRunning) localStorage.setItem(stored, JSON.stringify(agent.messages));
      }),
    [chat, agent],
  );
  // As CopilotKit's own composer does: the adapter only follows the run.
  const send = (event) => {
    event.preventDefault();
    const content = String(new FormData(event.currentTarget).get("text"));
    event.currentTarget.reset();
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
    void copilotkit.runAgent({ agent });
  };
  const shown = agent.messages.filter(({ role }) => role === "user" || role === "assistant");
  return (
    <McpAgentProvider agent={chat}>
      <main>
        {shown.map((message) => (
          <article key={message.id} data-role={message.role}>
            <p>{message.content}</p>
            {message.toolCalls?.map((toolCall) => (
              <div key={toolCall.id}>
                {renderToolCall({
                  toolCall,
                  toolMessage: agent.messages.find(({ toolCallId }) => toolCallId === toolCall.id),
                })}
              </div>
            ))}
          </article>
        ))}
      </main>
      <form onSubmit={send}>
        <input name="text" aria-label="Message" data-testid="composer" autoComplete="off" />
        {chat.isRunning ? (
          <button type="button" data-testid="stop" onClick={() => copilotkit.stopAgent({ agent })}>
            Stop
          </button>
        ) : (
          <button type="submit" data-testid="send">
            Send
          </button>
        )}
      </form>
    </McpAgentProvider>
  );
}

function ToolCall({ toolCallId }) {
  return <McpAppToolCall toolCallId={toolCallId} />;
}

createRoot(document.querySelector("#root")).render(
  <CopilotKitProvider selfManagedAgents={{ default: http }}>
    <Chat />
  </CopilotKitProvider>,
);
