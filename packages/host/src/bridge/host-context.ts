import type { McpUiHostContext } from "@vitrine/protocol/apps";

/** The host context of a view, and the changes it hasn't received yet. */
export interface ToldContext {
  readonly current: McpUiHostContext;
  /** Replaces everything. A key can't be removed from a view, only changed. */
  set(context: McpUiHostContext): void;
  /** The whole context, for the handshake; later changes are relative to it. */
  tellAll(): McpUiHostContext;
  /** The view may receive messages from now on. */
  start(): void;
}

/** Keeps a host context, and sends each top-level key that changed, whole (HST-55). */
export function createHostContext(
  initial: McpUiHostContext,
  send: (changes: McpUiHostContext) => void,
): ToldContext {
  let current = initial;
  let isOpen = false;
  // Stored as text, because the host may change its object later.
  const told = new Map<string, string>();
  const takeChanges = (): McpUiHostContext => {
    const changes: McpUiHostContext = {};
    for (const [key, value] of Object.entries(current)) {
      const text = JSON.stringify(value);
      if (text === undefined || text === told.get(key)) continue;
      told.set(key, text);
      changes[key] = value;
    }
    return changes;
  };
  const tell = (): void => {
    const changes = isOpen ? takeChanges() : {};
    if (Object.keys(changes).length > 0) send(changes);
  };
  return {
    get current() {
      return current;
    },
    set: (context) => {
      current = { ...context };
      tell();
    },
    tellAll: () => {
      told.clear();
      return takeChanges();
    },
    start: () => {
      isOpen = true;
      tell();
    },
  };
}
