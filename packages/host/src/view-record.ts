// What brings a View back after a reload of the page, or after it was suspended: everything the
// View was told and everything it left with us. Plain JSON, so that any store can keep it.

import type { CallToolResult, McpUiHostCapabilities } from "@vitrine/protocol/apps";

/** One View, as a store keeps it. Tools that a View offers are not in it (HST-99). */
export interface ViewRecord {
  version: 1;
  /** The Host's name for the Server; a record never serves another one's View. */
  server: string;
  tool: string;
  resourceUri: string;
  /** SHA-256 of the HTML it was made with. */
  resourceHash?: string;
  /** What was granted then. */
  granted?: McpUiHostCapabilities["sandbox"];
  input?: Record<string, unknown>;
  /** Unmodified, `_meta` included (HST-47). */
  result?: CallToolResult;
  cancelled?: string;
  /** What the View left by `app.state`. */
  state?: unknown;
  /** What the model is told of it. */
  modelContext?: object;
  /** Its last size, so that a page does not jump while it comes back. */
  height?: number;
}

/** Where records live; answers may take time. */
export interface RecordStore {
  get(key: string): unknown;
  set(key: string, record: ViewRecord): unknown;
  delete(key: string): unknown;
}

/** A record of the same tool of the same Server, or nothing: what a store returns is not trusted. */
export function readRecord(
  value: unknown,
  { server, tool }: Pick<ViewRecord, "server" | "tool">,
): ViewRecord | undefined {
  const record = value as ViewRecord | null | undefined;
  const fits = record?.version === 1 && record.server === server && record.tool === tool;
  return fits ? record : undefined;
}

/** Keeps records for the life of the page. */
export function memoryStore(): RecordStore {
  return new Map<string, ViewRecord>();
}

/** Keeps records in `sessionStorage`, or another `Storage`, of the Host's own origin. */
export function webStore(storage: Storage = sessionStorage, prefix = "vitrine:"): RecordStore {
  return {
    get: (key) => {
      try {
        return JSON.parse(storage.getItem(prefix + key) ?? "null");
      } catch {
        // Written by another version, or by hand: the View starts anew.
        return undefined;
      }
    },
    set: (key, record) => {
      try {
        storage.setItem(prefix + key, JSON.stringify(record));
      } catch {
        // Full: what is kept of an older time would be wrong, and nothing is better than wrong.
        storage.removeItem(prefix + key);
      }
    },
    delete: (key) => storage.removeItem(prefix + key),
  };
}
