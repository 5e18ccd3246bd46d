import { type ReactNode, useEffect, useState } from "react";
import type { StoredConversation } from "../../../src/chat/page-state.ts";
import type { ChatPage } from "../chat-state.ts";
import type { ChatMessage } from "./message.tsx";
import { Thread } from "./thread.tsx";

/** Loads a conversation and shows it. */
export function Conversation({
  id,
  page,
  isShown,
}: {
  id: string;
  page: ChatPage;
  isShown: boolean;
}): ReactNode {
  // Later it is in the list as well, and must not be loaded again.
  const [isKnown] = useState(() => page.state.get().conversations.some((one) => one.id === id));
  const [loaded, setLoaded] = useState<StoredConversation | "new" | undefined>(
    isKnown ? undefined : "new",
  );
  const [problem, setProblem] = useState("");
  useEffect(() => {
    if (!isKnown) return undefined;
    let isCurrent = true;
    page.api.conversation(id).then(
      (conversation) => {
        if (!isCurrent) return;
        page.views.load(id, conversation?.records ?? {});
        setLoaded(conversation ?? "new");
      },
      (error: Error) => {
        if (isCurrent) setProblem(error.message);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [id, isKnown, page]);
  if (problem !== "")
    return (
      <div className="notice" role="alert">
        <p>The conversation can't be loaded. {problem}</p>
        <button type="button" onClick={() => location.reload()}>
          Try again
        </button>
      </div>
    );
  if (!loaded) return <div className="loading" aria-busy="true" />;
  const messages = loaded === "new" ? [] : (loaded.messages as ChatMessage[]);
  return <Thread id={id} page={page} initial={messages} isShown={isShown} />;
}
