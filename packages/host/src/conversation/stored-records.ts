import {
  type RecordOwner,
  type RecordStore,
  readOwned,
  storeKeyOf,
  type ViewRecord,
} from "../view-record.ts";

/** The records of a conversation by view key, as plain JSON. */
export interface ConversationRecords {
  version: 1;
  views: Record<string, ViewRecord>;
}

/** The records of one conversation of one user in a store. */
export interface StoredRecords {
  all(): Promise<Map<string, ViewRecord>>;
  /** Stores records that aren't there yet. Returns those that it has stored. */
  add(
    records: ConversationRecords,
    isNew: (key: string) => boolean,
  ): Promise<Map<string, ViewRecord>>;
  /** Deletes them all. */
  clear(): Promise<void>;
}

/** Reads a conversation's records; those of others, and anything else in the store, are ignored. */
export function openRecords(store: RecordStore, owner: RecordOwner): StoredRecords {
  const prefix = storeKeyOf(owner.conversation, "");
  const storeKeys = async (): Promise<string[]> =>
    [...(await store.keys())].filter((key) => key.startsWith(prefix));
  return {
    all: async () => {
      const found = new Map<string, ViewRecord>();
      for (const storeKey of await storeKeys()) {
        const record = readOwned(await store.get(storeKey), owner);
        if (record) found.set(storeKey.slice(prefix.length), record);
      }
      return found;
    },
    add: async ({ version, views }, isNew) => {
      const added = new Map<string, ViewRecord>();
      const entries = version === 1 ? Object.entries(Object(views) as object) : [];
      for (const [key, value] of entries) {
        const record = readOwned(value, owner);
        const storeKey = storeKeyOf(owner.conversation, key);
        if (!record || !isNew(key) || (await store.get(storeKey))) continue;
        await store.set(storeKey, record);
        added.set(key, record);
      }
      return added;
    },
    clear: async () => {
      for (const storeKey of await storeKeys()) await store.delete(storeKey);
    },
  };
}
