// Reads the database of a folder, whether a gateway uses it or not: for `audit verify`, `tail` and `export`.

import { existsSync } from "node:fs";
import type { Kv, Log } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import { checkBucket, checkPartition } from "../names.ts";
import { databasePath, openReadOnly } from "./database.ts";
import { readRows } from "./sqlite-bucket.ts";
import { LogReader } from "./sqlite-log.ts";

/** The readable part of an engine that another process may own. */
export interface EngineReader {
  readonly log: Pick<Log, "read" | "bounds">;
  /** A durable bucket, as it is at each call. */
  kv(bucket: string): Pick<Kv, "get" | "keys">;
}

/** An open database. */
export interface SqliteReader extends EngineReader {
  close(): void;
}

/** Opens the database of a folder, or a backup, for reading; fails with `invalid` if there is none. */
export function openSqliteReader(from: { folder: string } | { file: string }): SqliteReader {
  const path = "folder" in from ? databasePath(from.folder) : from.file;
  if (!existsSync(path)) {
    const what = "folder" in from ? "the folder that engine.folder has" : "the file of a backup";
    const text = `${path} doesn't exist. Name ${what}.`;
    throw new EngineError("invalid", text);
  }
  const database = openReadOnly(path);
  const reader = new LogReader(database, path);
  return {
    log: {
      read: async function* (partition, from = 0) {
        checkPartition(partition);
        const end = reader.bounds(partition)?.last ?? 0;
        for (let next = from; next <= end; ) {
          const records = reader.chunk(partition, next, end);
          yield* records;
          next = (records.at(-1)?.sequence ?? end) + 1;
        }
      },
      bounds: async (partition) => {
        checkPartition(partition);
        return reader.bounds(partition);
      },
    },
    kv: (bucket) => {
      checkBucket(bucket);
      const living = function* () {
        for (const row of readRows(database, path, bucket)) {
          if (row.expires === null || row.expires > Date.now()) yield row;
        }
      };
      return {
        get: async (key) => {
          for (const row of living()) {
            if (row.key === key) return { key, value: row.value, revision: row.revision };
          }
          return undefined;
        },
        keys: async function* (prefix = "") {
          const keys = [...living()].map((row) => row.key);
          yield* keys.filter((key) => key.startsWith(prefix));
        },
      };
    },
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}
