// Keeps the records of views and the user's answers in the process behind the page, so that another
// browser shows the same.

import type { RecordStore } from "@vitrine/host";
import type { Api } from "./api.ts";

/** A record store over the page's API. */
export interface ViewStore extends RecordStore {
  /** Takes over the records of a conversation that was loaded. */
  load(conversation: string, records: Readonly<Record<string, unknown>>): void;
  /** Forgets a conversation that was deleted. */
  drop(conversation: string): void;
}

// A view saves its state up to ten times a second.
const PACE = 400;

/** Creates the store; `answers` are those of earlier visits. */
export function createViewStore(
  api: Api,
  { answers: known }: { answers: Readonly<Record<string, boolean>> },
): ViewStore {
  const records = new Map<string, { conversation: string; value: unknown }>();
  const unsaved = new Map<string, ReturnType<typeof setTimeout>>();
  const save = (key: string): void => {
    clearTimeout(unsaved.get(key));
    unsaved.delete(key);
    const record = records.get(key);
    // If that fails, the view's next change tries again.
    if (record) void api.saveRecord(record.conversation, key, record.value).catch(() => {});
  };
  addEventListener("pagehide", () => {
    for (const key of [...unsaved.keys()]) save(key);
  });
  const answers = new Map(Object.entries(known));
  return {
    get: (key) => records.get(key)?.value,
    set: (key, value) => {
      records.set(key, { conversation: value.conversation, value });
      if (!unsaved.has(key))
        unsaved.set(
          key,
          setTimeout(() => save(key), PACE),
        );
    },
    delete: (key) => {
      const record = records.get(key);
      records.delete(key);
      clearTimeout(unsaved.get(key));
      unsaved.delete(key);
      if (record) void api.saveRecord(record.conversation, key, undefined).catch(() => {});
    },
    keys: () => [...records.keys()],
    answers: {
      get: (key) => answers.get(key),
      set: async (key, allow) => {
        answers.set(key, allow);
        await api.saveAnswer(key, allow);
      },
      delete: async (key) => {
        answers.delete(key);
        await api.saveAnswer(key, undefined);
      },
      keys: () => [...answers.keys()],
    },
    load: (conversation, loaded) => {
      for (const [key, value] of Object.entries(loaded)) {
        // What this page has is newer than what was stored.
        if (!records.has(key)) records.set(key, { conversation, value });
      }
    },
    drop: (conversation) => {
      for (const [key, record] of records) {
        if (record.conversation !== conversation) continue;
        clearTimeout(unsaved.get(key));
        unsaved.delete(key);
        records.delete(key);
      }
    },
  };
}
