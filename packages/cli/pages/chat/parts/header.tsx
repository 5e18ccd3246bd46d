import type { ReactNode } from "react";
import { useFields } from "../../store.ts";
import type { ChatPage } from "../chat-state.ts";
import { Icon } from "./icon.tsx";

/** The title of the conversation, the model, and the settings. */
export function Header({ page }: { page: ChatPage }): ReactNode {
  const { conversations, current, model } = useFields(
    page.state,
    "conversations",
    "current",
    "model",
  );
  const title = conversations.find(({ id }) => id === current)?.title ?? "New conversation";
  return (
    <header className="head">
      <button
        type="button"
        className="icon only-phone"
        aria-label="Conversations"
        onClick={() => page.state.set({ panel: "list" })}
      >
        <Icon name="menu" />
      </button>
      <h1 title={title}>{title}</h1>
      <span className="quiet model" title="Model">
        {model}
      </span>
      <button
        type="button"
        className="icon"
        aria-label="Settings"
        onClick={() => page.state.set({ panel: "settings" })}
      >
        <Icon name="settings" />
      </button>
    </header>
  );
}
