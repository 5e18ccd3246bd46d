import type { ReactNode } from "react";
import { useFields } from "../../store.ts";
import type { ChatPage } from "../chat-state.ts";

/** What an empty conversation shows. */
export function Welcome({ page }: { page: ChatPage }): ReactNode {
  const { servers, tools } = useFields(page.state, "servers", "tools");
  const ready = servers.filter(({ status }) => status === "ready").map(({ name }) => name);
  const count = Object.keys(tools).length;
  return (
    <div className="welcome">
      <h2>What would you like to do?</h2>
      <p className="quiet">
        {ready.length === 0
          ? "Write a message to start. No server is connected, so the model has no tools."
          : `Write a message to start. The model can use ${count} ${count === 1 ? "tool" : "tools"} of ${ready.join(", ")}.`}
      </p>
    </div>
  );
}
