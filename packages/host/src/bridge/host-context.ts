import type { McpUiHostContext } from "@vitrine/protocol/apps";

/** What a View has been told of its surroundings, and what it has yet to be told. */
export interface ToldContext {
  readonly current: McpUiHostContext;
  /** Replaces the whole; a key that is gone cannot be taken back from a View, only changed. */
  set(context: McpUiHostContext): void;
  /** The whole, for the handshake; later changes are told from here. */
  tellAll(): McpUiHostContext;
  /** The View may be spoken to from now on. */
  start(): void;
}

/** Keeps a host context, and sends each top-level key that changed, whole (HST-55). */
export function createHostContext(
  initial: McpUiHostContext,
  send: (changes: McpUiHostContext) => void,
): ToldContext {
  let current = initial;
  let isOpen = false;
  // As text: the Host may change an object that it gave us.
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
