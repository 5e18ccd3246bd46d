import type { ReactNode } from "react";
import { useFields } from "../../store.ts";
import type { ChatPage } from "../chat-state.ts";
import { Conversation } from "./conversation.tsx";
import { Header } from "./header.tsx";
import { Settings } from "./settings.tsx";
import { Sidebar } from "./sidebar.tsx";

/** The whole page. */
export function App({ page }: { page: ChatPage }): ReactNode {
  const { current, open, isLost, panel } = useFields(
    page.state,
    "current",
    "open",
    "isLost",
    "panel",
  );
  return (
    <>
      <Sidebar page={page} />
      <main className="chat">
        <Header page={page} />
        {isLost && (
          <p className="banner" role="alert">
            The chat isn't running. Start <code>vitrine chat</code> again; this page reconnects.
          </p>
        )}
        {open.map((id) => (
          <Conversation key={id} id={id} page={page} isShown={id === current} />
        ))}
      </main>
      {panel === "settings" && <Settings page={page} />}
    </>
  );
}
