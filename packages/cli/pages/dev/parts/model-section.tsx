import type { ReactNode } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";

/** The chat with a model, in its own page: it has another origin and its own secret. */
export function ModelSection({ host }: { host: DevHost }): ReactNode {
  const { chat } = useFields(host.state, "chat");
  if (!chat) return null;
  return <iframe className="model-chat" title={`Chat with ${chat.model}`} src={chat.url} />;
}
