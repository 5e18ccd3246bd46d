import { type ReactNode, useState } from "react";
import type { ConversationSummary } from "../../../src/chat/page-state.ts";
import { useFields } from "../../store.ts";
import type { ChatPage } from "../chat-state.ts";
import { Icon } from "./icon.tsx";
import { ServerList } from "./server-list.tsx";

/** The list of conversations and the servers; a drawer on a phone. */
export function Sidebar({ page }: { page: ChatPage }): ReactNode {
  const { conversations, current, panel } = useFields(
    page.state,
    "conversations",
    "current",
    "panel",
  );
  const close = (): void => page.state.set({ panel: "none" });
  return (
    <>
      {panel === "list" && (
        <button type="button" className="scrim" aria-label="Close the list" onClick={close} />
      )}
      <nav className="sidebar" data-open={panel === "list"} aria-label="Conversations">
        <div className="sidebar-head">
          <button
            type="button"
            className="new"
            data-testid="new-conversation"
            onClick={() => page.startNew()}
          >
            <Icon name="plus" /> New conversation
          </button>
        </div>
        <ul className="conversations">
          {conversations.map((conversation) => (
            <ConversationItem
              key={conversation.id}
              conversation={conversation}
              isCurrent={conversation.id === current}
              page={page}
            />
          ))}
          {conversations.length === 0 && (
            <li className="empty">Your conversations will be listed here.</li>
          )}
        </ul>
        <ServerList page={page} />
      </nav>
    </>
  );
}

function ConversationItem({
  conversation: { id, title },
  isCurrent,
  page,
}: {
  conversation: ConversationSummary;
  isCurrent: boolean;
  page: ChatPage;
}): ReactNode {
  const [mode, setMode] = useState<"shown" | "renaming" | "deleting">("shown");
  if (mode === "renaming") {
    const save = (text: string): void => {
      setMode("shown");
      if (text.trim() !== "" && text !== title) void page.rename(id, text);
    };
    return (
      <li data-testid="conversation" data-current={isCurrent}>
        <input
          aria-label="Title"
          defaultValue={title}
          maxLength={200}
          // The user has just asked to edit it.
          ref={(input) => input?.focus()}
          onBlur={(event) => save(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") save(event.currentTarget.value);
            if (event.key === "Escape") setMode("shown");
          }}
        />
      </li>
    );
  }
  if (mode === "deleting") {
    return (
      <li data-testid="conversation" data-current={isCurrent} className="confirm">
        <span>Delete “{title}”?</span>
        <div className="actions">
          <button type="button" className="danger" onClick={() => void page.remove(id)}>
            Delete
          </button>
          <button type="button" onClick={() => setMode("shown")}>
            Keep
          </button>
        </div>
      </li>
    );
  }
  return (
    <li data-testid="conversation" data-current={isCurrent}>
      <button
        type="button"
        className="title"
        aria-current={isCurrent ? "page" : undefined}
        title={title}
        onClick={() => page.open(id)}
      >
        {title}
      </button>
      <button
        type="button"
        className="icon"
        aria-label={`Rename “${title}”`}
        onClick={() => setMode("renaming")}
      >
        <Icon name="edit" />
      </button>
      <button
        type="button"
        className="icon"
        aria-label={`Delete “${title}”`}
        onClick={() => setMode("deleting")}
      >
        <Icon name="trash" />
      </button>
    </li>
  );
}
