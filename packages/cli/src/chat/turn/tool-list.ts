// The tools of all servers, for the page and for grants: read again whenever a server changes.

import { listModelTools } from "@vitrine/chat/server";
import type { ChatServers } from "../servers/chat-servers.ts";
import type { NamedTool } from "./tool-approval.ts";

/** The newest known list. */
export interface ToolList {
  readonly named: ReadonlyMap<string, NamedTool>;
  /** Takes over a list that a turn has read. */
  update(named: ReadonlyMap<string, NamedTool>): void;
  /** Calls `listener` whenever the list changes. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
  close(): void;
}

/** Follows the servers. */
export function followTools(servers: ChatServers): ToolList {
  const listeners = new Set<() => void>();
  let named: ReadonlyMap<string, NamedTool> = new Map();
  let reading = 0;
  const update = (next: ReadonlyMap<string, NamedTool>): void => {
    named = next;
    for (const listener of [...listeners]) listener();
  };
  const read = async (): Promise<void> => {
    const turn = ++reading;
    const tools = await listModelTools(servers.clients);
    if (turn === reading) update(new Map(tools.map((tool) => [tool.name, tool])));
  };
  const ready = (): string =>
    servers.states
      .filter(({ status }) => status === "ready")
      .map(({ name }) => name)
      .join("\n");
  let known = "";
  const stop = servers.onChange(() => {
    if (ready() === known) return;
    known = ready();
    void read();
  });
  return {
    get named() {
      return named;
    },
    update,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: stop,
  };
}
