// Conversations in a SQLite file that only the user can read.

import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { UIMessage } from "ai";
import { Failure } from "../../failure.ts";
import type { ConversationStore, ConversationSummary, ToolGrant } from "./conversation-store.ts";
import { readTitle, titleOf } from "./conversation-title.ts";

const SCHEMA = `
CREATE TABLE IF NOT EXISTS conversation (
  id TEXT PRIMARY KEY, title TEXT NOT NULL, updated INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS message (
  conversation TEXT NOT NULL REFERENCES conversation ON DELETE CASCADE,
  position INTEGER NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (conversation, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS record (
  conversation TEXT NOT NULL REFERENCES conversation ON DELETE CASCADE,
  key TEXT NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (conversation, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answer (key TEXT PRIMARY KEY, allow INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS tool_grant (
  conversation TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, definition TEXT NOT NULL,
  PRIMARY KEY (conversation, server, tool, definition)
) STRICT;
`;

// "*" isn't an id: those are UUIDs.
const ALL = "*";

/** Options of the store. */
export interface SqliteStoreOptions {
  now?: () => number;
}

/** Opens the file and creates it if needed; `:memory:` keeps everything in memory. */
export function openSqliteStore(
  file: string,
  { now = Date.now }: SqliteStoreOptions = {},
): ConversationStore {
  const database = openDatabase(file);
  const prepare = (sql: string) => database.prepare(sql);
  const listed = prepare("SELECT id, title, updated FROM conversation ORDER BY updated DESC, id");
  const found = prepare("SELECT id, title, updated FROM conversation WHERE id = ?");
  const touched = prepare(`INSERT INTO conversation (id, title, updated) VALUES (?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET updated = excluded.updated`);
  const messages = prepare("SELECT body FROM message WHERE conversation = ? ORDER BY position");
  const written = prepare(`INSERT INTO message (conversation, position, body) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET body = excluded.body WHERE body <> excluded.body`);
  const cut = prepare("DELETE FROM message WHERE conversation = ? AND position >= ?");
  const records = prepare("SELECT key, body FROM record WHERE conversation = ?");
  const recorded = prepare(`INSERT INTO record (conversation, key, body) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET body = excluded.body`);
  const unrecorded = prepare("DELETE FROM record WHERE conversation = ? AND key = ?");
  const renamed = prepare("UPDATE conversation SET title = ? WHERE id = ?");
  const deleted = prepare("DELETE FROM conversation WHERE id = ?");
  const answered = prepare(`INSERT INTO answer (key, allow) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET allow = excluded.allow`);

  const together = (work: () => void): void => {
    database.exec("BEGIN IMMEDIATE");
    try {
      work();
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  };
  const keyOf = ({ conversation = ALL, server, tool, definition }: ToolGrant): string[] => [
    conversation,
    server,
    tool,
    definition,
  ];

  return {
    list: () => listed.all() as unknown as ConversationSummary[],
    has: (id) => found.get(id) !== undefined,
    read: (id) => {
      const summary = found.get(id) as unknown as ConversationSummary | undefined;
      if (!summary) return undefined;
      const bodies = messages.all(id) as { body: string }[];
      const views = records.all(id) as { key: string; body: string }[];
      return {
        ...summary,
        messages: bodies.map(({ body }) => JSON.parse(body) as UIMessage),
        records: Object.fromEntries(views.map(({ key, body }) => [key, JSON.parse(body)])),
      };
    },
    save: (id, list) =>
      together(() => {
        touched.run(id, titleOf(list), now());
        for (const [position, message] of list.entries())
          written.run(id, position, JSON.stringify(message));
        cut.run(id, list.length);
      }),
    rename: (id, title) => {
      const clean = readTitle(title);
      return clean !== undefined && renamed.run(clean, id).changes > 0;
    },
    delete: (id) => {
      let isDeleted = false;
      together(() => {
        isDeleted = deleted.run(id).changes > 0;
        prepare("DELETE FROM tool_grant WHERE conversation = ?").run(id);
      });
      return isDeleted;
    },
    setRecord: (id, key, record) => {
      if (record === undefined) unrecorded.run(id, key);
      // A view may still save while its conversation is deleted.
      else if (found.get(id)) recorded.run(id, key, JSON.stringify(record));
    },
    answers: () => {
      const rows = prepare("SELECT key, allow FROM answer").all() as {
        key: string;
        allow: number;
      }[];
      return Object.fromEntries(rows.map(({ key, allow }) => [key, allow === 1]));
    },
    setAnswer: (key, allow) => {
      if (allow === undefined) prepare("DELETE FROM answer WHERE key = ?").run(key);
      else answered.run(key, Number(allow));
    },
    grants: () => {
      const rows = prepare("SELECT * FROM tool_grant ORDER BY server, tool").all();
      return (rows as unknown as (ToolGrant & { conversation: string })[]).map(
        ({ conversation, ...grant }) => ({
          ...grant,
          ...(conversation !== ALL && { conversation }),
        }),
      );
    },
    hasGrant: ({ conversation, ...grant }) => {
      const rows = prepare(
        "SELECT 1 FROM tool_grant WHERE conversation IN (?, ?) AND server = ? AND tool = ? AND definition = ?",
      );
      const [, ...rest] = keyOf(grant);
      return rows.get(conversation ?? ALL, ALL, ...rest) !== undefined;
    },
    setGrant: (grant, isAllowed) => {
      const sql = isAllowed
        ? "INSERT OR IGNORE INTO tool_grant (conversation, server, tool, definition) VALUES (?, ?, ?, ?)"
        : "DELETE FROM tool_grant WHERE conversation = ? AND server = ? AND tool = ? AND definition = ?";
      prepare(sql).run(...keyOf(grant));
    },
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

function openDatabase(file: string): DatabaseSync {
  try {
    if (file !== ":memory:") {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      // Before SQLite writes to it: its journal files take the mode of the database.
      closeSync(openSync(file, "a", 0o600));
      chmodSync(file, 0o600);
    }
    const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5000 });
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${SCHEMA}`);
    return database;
  } catch (error) {
    throw new Failure(
      "unreadable",
      `The conversations in ${file} can't be opened: ${(error as Error).message}. Choose another folder with --data.`,
      { cause: error },
    );
  }
}
