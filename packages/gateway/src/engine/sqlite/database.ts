// The database file of an engine: its tables, its version, and how it's opened. A commit is on the disk
// when it returns: WAL with `synchronous=FULL` calls fsync for each of them.

import { closeSync, openSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EngineError } from "../engine-error.ts";
import { sqliteError } from "./sqlite-error.ts";

export const SCHEMA_VERSION = 1;
/** "VTRN", in the header of the file: tells our databases from others. */
const APPLICATION_ID = 0x5654524e;
const BUSY_TIMEOUT = 5_000;
/** Pages of 4 KiB after which the WAL is copied into the database; the reserve has to be larger than both. */
const WAL_PAGES = 500;

// `log` has a row for each line of a record, so that text can be queried with SQL. `checksum` covers the other
// columns of a key: SQLite doesn't detect a changed byte within a row.
const TABLES = `
CREATE TABLE owner (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  generation INTEGER NOT NULL,
  machine TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  beats INTEGER NOT NULL,
  released INTEGER NOT NULL
) STRICT;
CREATE TABLE kv_buckets (bucket TEXT PRIMARY KEY, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE kv (
  bucket TEXT NOT NULL,
  key TEXT NOT NULL,
  revision INTEGER NOT NULL,
  expires_at INTEGER,
  checksum INTEGER NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (bucket, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX kv_expiry ON kv (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE log_partitions (
  partition TEXT PRIMARY KEY,
  next INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE log (
  partition TEXT NOT NULL,
  place INTEGER NOT NULL,
  line INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (partition, place, line)
) STRICT, WITHOUT ROWID;
CREATE TABLE log_ids (
  partition TEXT NOT NULL,
  id TEXT NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  appended_at INTEGER NOT NULL,
  PRIMARY KEY (partition, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX log_ids_age ON log_ids (appended_at);
CREATE TABLE blobs (sha256 TEXT PRIMARY KEY, put_at INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
CREATE INDEX blobs_age ON blobs (put_at);
`;

/** Magic numbers of file systems that several machines can mount; WAL needs memory that all openers share. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x5346414f, "AFS"],
  [0x7461636f, "OCFS2"],
  [0x01161970, "GFS2"],
]);

/** The database of a folder. */
export function databasePath(folder: string): string {
  return join(folder, "gateway.db");
}

/** Opens a database for writing; a missing one is created, with the permissions of its owner alone. */
export function openDatabase(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    closeSync(openSync(path, "a", 0o600));
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT });
    checkVersion(path, database);
    const { journal_mode: mode } = one(database, "PRAGMA journal_mode = WAL");
    if (mode !== "wal") {
      const text = `The file system of ${path} doesn't support write-ahead logging. Use a folder on a local disk.`;
      throw new EngineError("unavailable", text);
    }
    database.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${WAL_PAGES}`);
    return database;
  } catch (error) {
    database?.close();
    throw sqliteError(path, error);
  }
}

/** Opens a database for reading, whether a gateway uses it or not. */
export function openReadOnly(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT });
    if (checkVersion(path, database) === 0) throw foreignError(path);
    return database;
  } catch (error) {
    database?.close();
    throw sqliteError(path, error);
  }
}

/** Creates the tables of a new database, and the views, which may differ from version to version. */
export function createSchema(database: DatabaseSync, views: string): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    if (one(database, "PRAGMA user_version").user_version === 0) {
      database.exec(TABLES);
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    }
    database.exec(views);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Rejects a folder that other machines may have mounted too. */
export function checkFileSystem(folder: string): void {
  const name = NETWORK_FILE_SYSTEMS.get(statfsSync(folder).type);
  if (name === undefined) return;
  const text = `${folder} is on ${name}, a network file system, where SQLite can't keep two machines apart. Use a folder on a local disk, or the engine nats for several machines.`;
  throw new EngineError("unavailable", text);
}

/** The only row of a query. */
export function one(database: DatabaseSync, sql: string): Record<string, unknown> {
  return database.prepare(sql).get() ?? {};
}

/** Rejects a database that isn't ours, or that a newer version wrote; returns its version. */
function checkVersion(path: string, database: DatabaseSync): number {
  const version = Number(one(database, "PRAGMA user_version").user_version);
  const id = Number(one(database, "PRAGMA application_id").application_id);
  const { tables } = one(database, "SELECT count(*) AS tables FROM sqlite_schema");
  const isNew = version === 0 && id === 0 && tables === 0;
  if (!isNew && id !== APPLICATION_ID) throw foreignError(path);
  if (version > SCHEMA_VERSION) {
    const text = `${path} was written by a newer version (schema ${version}, this version supports ${SCHEMA_VERSION}). Upgrade, or restore a backup of this version.`;
    throw new EngineError("newer-schema", text);
  }
  return version;
}

function foreignError(path: string): EngineError {
  return new EngineError(
    "invalid",
    `${path} isn't the database of a gateway. Name another folder.`,
  );
}
