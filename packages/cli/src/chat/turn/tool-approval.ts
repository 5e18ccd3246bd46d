// Which calls of the model the user is asked about: all, except tools that declare that they only read
// and tools that the user has allowed before.

import { createHash } from "node:crypto";
import type { ModelTool } from "@vitrine/chat/server";
import type { ToolFacts } from "../page-state.ts";
import type { ConversationStore, ToolGrant } from "../store/conversation-store.ts";

/** A tool as the model calls it. */
export type NamedTool = Pick<ModelTool, "name" | "server" | "tool">;

/** Whether the user must be asked. */
export function needsApproval(
  { server, tool }: NamedTool,
  { store, conversation }: { store: Pick<ConversationStore, "hasGrant">; conversation: string },
): boolean {
  if (tool.annotations?.readOnlyHint === true) return false;
  return !store.hasGrant({ ...grantOf({ server, tool }), conversation });
}

/** The grant that allows this definition of a tool. */
export function grantOf({ server, tool }: Omit<NamedTool, "name">): ToolGrant {
  const { name, title, description, inputSchema, annotations } = tool;
  const definition = createHash("sha256")
    .update(JSON.stringify([name, title, description, inputSchema, annotations]))
    .digest("base64url");
  return { server, tool: name, definition };
}

/** Reads what a page shows. */
export function factsOf({ server, tool }: NamedTool): ToolFacts {
  const title = tool.title ?? tool.name;
  // A tool without this hint may destroy something (the specification's default).
  return {
    server,
    tool: tool.name,
    title: title.slice(0, 200),
    isDestructive: tool.annotations?.destructiveHint !== false,
  };
}
