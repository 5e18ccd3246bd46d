import type { ServerChoice } from "./page-protocol.ts";

/** The servers of one command, for the picker of each page. */
export interface ServerChoices {
  readonly list: readonly ServerChoice[];
  set(name: string, choice: Omit<ServerChoice, "name">): void;
  /** Calls `listener` whenever the list changes. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
}

/** All of them are starting. */
export function createServerChoices(names: Iterable<string>): ServerChoices {
  const choices = new Map<string, ServerChoice>([...names].map((name) => [name, { name }]));
  const listeners = new Set<() => void>();
  return {
    get list() {
      return [...choices.values()];
    },
    set: (name, choice) => {
      choices.set(name, { name, ...choice });
      for (const listener of [...listeners]) listener();
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
