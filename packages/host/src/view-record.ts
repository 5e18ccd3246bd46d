// Restores a view after a reload of the page, or after it was suspended: all data it received and all
// data it saved. Plain JSON, so that any store can keep it.

import type { CallToolResult, McpUiHostCapabilities } from "@vitrine/protocol/apps";
import type { ConsentMemory } from "./consent/answers.ts";

/** One view, as a store keeps it. The tools that a view offers aren't included (HST-99). */
export interface ViewRecord {
  version: 3;
  /** The conversation that the view belongs to; a record is never used in another one. */
  conversation: string;
  /** The owner; a record is never used for another tenant, user or server. */
  tenant?: string | undefined;
  user?: string | undefined;
  /** The host's name for the server. */
  server: string;
  tool: string;
  resourceUri: string;
  /**
   * SHA-256 of the HTML that saved the rest; other HTML gets none of its grants, state or context.
   */
  resourceHash?: string;
  /** The permissions granted then. */
  granted?: McpUiHostCapabilities["sandbox"] | undefined;
  input?: Record<string, unknown>;
  /** Unmodified, `_meta` included (HST-47). */
  result?: CallToolResult;
  cancelled?: string;
  /** The state saved with `app.state`. */
  state?: unknown;
  /** Its model context. */
  modelContext?: object | undefined;
  /** Its last height, so that the page doesn't jump while it is restored. */
  height?: number;
}

/** Where records are stored; methods may be asynchronous. A `Map` is enough. */
export interface RecordStore {
  get(key: string): unknown;
  set(key: string, record: ViewRecord): unknown;
  delete(key: string): unknown;
  /** All keys, so that a conversation finds its records; those of others may be among them. */
  keys(): Iterable<string> | Promise<Iterable<string>>;
  /** Where the host remembers the answers of a user whom it can name (`user`). */
  readonly answers?: ConsentMemory | undefined;
}

/** A store of JSON values in the browser: for records, or for answers (`consent: { memory }`). */
export interface WebStore {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  delete(key: string): void;
  keys(): Iterable<string>;
  /** In `localStorage`, because "always" must not end with the session. */
  readonly answers: ConsentMemory;
}

/** The user that a record belongs to, and the conversation. */
export type RecordOwner = Pick<ViewRecord, "version" | "conversation" | "tenant" | "user">;

const OWNER = ["version", "conversation", "tenant", "user"] as const;
const VIEW = ["server", "tool", "resourceUri"] as const;

/** A record of the same view of the same user, or nothing: a store's data isn't trusted. */
export function readRecord(value: unknown, own: ViewRecord): ViewRecord | undefined {
  const record = readOwned(value, own);
  return record && VIEW.every((name) => record[name] === own[name]) ? record : undefined;
}

/** A record of any view of the same user in the same conversation, or nothing. */
export function readOwned(value: unknown, owner: RecordOwner): ViewRecord | undefined {
  const record = Object(value) as ViewRecord;
  return OWNER.every((name) => record[name] === owner[name]) ? record : undefined;
}

/**
 * The key of a view's record in a store; the default conversation has the id `""`. No encoded id
 * contains the separator, so conversations can't overlap.
 */
export function storeKeyOf(conversation: string, key: string): string {
  return `${encodeURIComponent(conversation)}/${key}`;
}

/** Keeps records until the page is closed. */
export function memoryStore(): RecordStore {
  return new Map<string, ViewRecord>();
}

/**
 * Keeps records in `sessionStorage`, or another `Storage`, of the host's own origin. On a server,
 * where there is none, it can be created but not used.
 */
export function webStore(own?: Storage, prefix = "vitrine:"): WebStore {
  return {
    ...storeIn(() => own ?? sessionStorage, prefix),
    answers: storeIn(() => own ?? localStorage, `${prefix}answer:`),
  };
}

function storeIn(storageOf: () => Storage, prefix: string): Omit<WebStore, "answers"> {
  return {
    keys: () =>
      Object.keys(storageOf())
        .filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length)),
    get: (key) => {
      try {
        return JSON.parse(storageOf().getItem(prefix + key) ?? "null");
      } catch {
        // Written by another version or edited manually, so it counts as absent.
        return undefined;
      }
    },
    set: (key, value) => {
      try {
        storageOf().setItem(prefix + key, JSON.stringify(value));
      } catch {
        // The storage is full: an outdated value would be wrong, so remove it.
        storageOf().removeItem(prefix + key);
      }
    },
    delete: (key) => storageOf().removeItem(prefix + key),
  };
}
