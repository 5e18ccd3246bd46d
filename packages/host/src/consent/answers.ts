/**
 * Remembered answers by key. A `Map` is enough; use a persistent store to keep them after a reload.
 */
export interface ConsentMemory {
  get(key: string): unknown;
  set(key: string, allow: boolean): unknown;
  delete(key: string): unknown;
  /** All keys, so that the answers of a conversation can be deleted with it. */
  keys(): Iterable<string> | Promise<Iterable<string>>;
}

/** The answers that a consent remembers. A memory that fails has none. */
export interface Answers {
  recall(key: string): Promise<boolean | undefined>;
  retain(key: string, allow: boolean): Promise<void>;
  /** Deletes the answers under these keys. Rejects if the memory fails, because they still hold. */
  remove(isRemoved: (key: string) => boolean): Promise<void>;
  keys(): Promise<readonly string[]>;
  /** Calls `listener` whenever this page adds or deletes an answer. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
}

// A server chooses the names of its tools, and a key contains one. A longer key isn't stored.
const LONGEST_KEY = 4096;

/** Guards a memory: it may fail, and isn't trusted with more than yes and no. */
export function createAnswers(memory: ConsentMemory): Answers {
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const listener of [...listeners]) listener();
  };
  return {
    recall: async (key) => {
      try {
        const value = await memory.get(key);
        return typeof value === "boolean" ? value : undefined;
      } catch {
        return undefined;
      }
    },
    retain: async (key, allow) => {
      if (key.length > LONGEST_KEY) return;
      try {
        await memory.set(key, allow);
      } catch {
        // The answer holds once, and the user is asked again.
      }
      notify();
    },
    remove: async (isRemoved) => {
      for (const key of [...(await memory.keys())].filter(isRemoved)) await memory.delete(key);
      notify();
    },
    keys: async () => [...(await memory.keys())].filter(({ length }) => length <= LONGEST_KEY),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
