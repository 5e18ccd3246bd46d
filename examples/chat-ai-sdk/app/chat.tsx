"use client";

import { createChatApps } from "@vitrine/chat";
import { McpAppPart, McpAppsProvider, useMcpChat } from "@vitrine/chat/ai-sdk";
import { webStore } from "@vitrine/host";
import type { UIMessage } from "ai";
import { type FormEvent, useEffect, useState } from "react";

const apps = createChatApps({
  url: "/api/apps",
  sample: "/api/sample",
  sandbox: process.env.NEXT_PUBLIC_SANDBOX ?? "http://proxy.localhost:8081/",
  store: webStore(),
});

type Part = UIMessage["parts"][number];

const keyOf = (part: Part, position: number): string =>
  "toolCallId" in part ? part.toolCallId : `${part.type}-${position}`;

/** A conversation, as this browser has stored it. */
export function Chat({ id }: { id: string }) {
  const [stored, setStored] = useState<UIMessage[]>();
  useEffect(() => setStored(JSON.parse(localStorage.getItem(`chat-${id}`) ?? "[]")), [id]);
  return stored ? <Conversation key={id} id={id} stored={stored} /> : null;
}

function Conversation({ id, stored }: { id: string; stored: UIMessage[] }) {
  const [text, setText] = useState("");
  const chat = useMcpChat(apps, { id, messages: stored });
  const { messages, status, error } = chat;
  const isRunning = status === "submitted" || status === "streaming";
  useEffect(() => {
    if (!isRunning) localStorage.setItem(`chat-${id}`, JSON.stringify(messages));
  }, [id, messages, isRunning]);

  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (!text.trim() || isRunning) return;
    void chat.sendMessage({ text });
    setText("");
  };
  return (
    <McpAppsProvider chat={chat}>
      <main>
        {messages.map((message, index) => (
          <article key={message.id} data-role={message.role}>
            {message.parts.map((part, position) =>
              part.type === "text" ? (
                <p key={keyOf(part, position)}>{part.text}</p>
              ) : (
                <McpAppPart
                  key={keyOf(part, position)}
                  part={part}
                  isRunning={isRunning && index === messages.length - 1}
                />
              ),
            )}
          </article>
        ))}
        {error && <p role="alert">The model didn't answer. Try again.</p>}
      </main>
      <form onSubmit={send}>
        <textarea
          aria-label="Message"
          data-testid="composer"
          rows={2}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {isRunning ? (
          <button type="button" data-testid="stop" onClick={() => void chat.stop()}>
            Stop
          </button>
        ) : (
          <button type="submit" data-testid="send">
            Send
          </button>
        )}
      </form>
    </McpAppsProvider>
  );
}
