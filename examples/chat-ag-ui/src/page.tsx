// The page: a conversation with an agent over AG-UI, and the views of its tools.

import { HttpAgent, type Message } from "@ag-ui/client";
import { createChatApps } from "@vitrine/chat";
import { McpAgentProvider, McpAppToolCall, useAgentApps } from "@vitrine/chat/ag-ui/react";
import { webStore } from "@vitrine/host";
import { type FormEvent, useEffect, useState } from "react";
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
const agent = new HttpAgent({
  url: "/api/agent",
  threadId: id,
  initialMessages: JSON.parse(localStorage.getItem(stored) ?? "[]") as Message[],
});

function Chat() {
  const chat = useAgentApps(apps, agent);
  const [error, setError] = useState("");
  useEffect(
    () =>
      chat.onChange(() => {
        if (!chat.isRunning) localStorage.setItem(stored, JSON.stringify(agent.messages));
      }),
    [chat],
  );
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("text"));
    event.currentTarget.reset();
    setError("");
    chat.send(text).catch((failure: Error) => setError(failure.message));
  };
  return (
    <McpAgentProvider agent={chat}>
      <main>
        {agent.messages.map((message) => (
          <MessageView key={message.id} message={message} />
        ))}
        <p role="alert">{error}</p>
      </main>
      <form onSubmit={send}>
        <input name="text" aria-label="Message" data-testid="composer" autoComplete="off" />
        {chat.isRunning ? (
          <button type="button" data-testid="stop" onClick={() => chat.stop()}>
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

function MessageView({ message }: { message: Message }) {
  if (message.role !== "user" && message.role !== "assistant") return null;
  const calls = message.role === "assistant" ? message.toolCalls : undefined;
  return (
    <article data-role={message.role}>
      <p>{typeof message.content === "string" ? message.content : ""}</p>
      {calls?.map(({ id, function: { name } }) => (
        <McpAppToolCall key={id} toolCallId={id} fallback={<code>{name}</code>} />
      ))}
    </article>
  );
}

const root = document.querySelector("#root");
if (root) createRoot(root).render(<Chat />);
