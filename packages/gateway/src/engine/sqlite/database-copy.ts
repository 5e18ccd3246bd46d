// Backups: a copy that is consistent although a gateway writes, and a copy that takes the place of a database.

import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EngineError } from "../engine-error.ts";
import { checkFileSystem, databasePath, one, openDatabase, openReadOnly } from "./database.ts";
import { claimFolder, describeOwnerOf, lockFolder } from "./folder-owner.ts";
import { readRows } from "./sqlite-bucket.ts";
import { damagedError, sqliteError } from "./sqlite-error.ts";

/** Revisions are fencing tokens: those that were given since the backup must not be given again. */
const REVISIONS = 1_000_000;
const GENERATIONS = 1_000;

/** Copies the database of a folder into a new file, while a gateway may use it. */
export function backUpDatabase(folder: string, file: string): void {
  if (existsSync(file)) {
    throw new EngineError("exists", `${file} exists already. Name another file, or remove it.`);
  }
  const draft = `${file}.partial`;
  const database = openReadOnly(databasePath(folder));
  try {
    writeFileSync(draft, "", { mode: 0o600 });
    database.prepare("VACUUM INTO ?").run(draft);
    sync(draft);
    // Unlike a rename, a link fails if the file was created in the meantime.
    linkSync(draft, file);
    sync(dirname(file));
  } catch (error) {
    throw sqliteError(file, error);
  } finally {
    rmSync(draft, { force: true });
    database.close();
  }
}

/** Fails with `corrupt` if a database can't be used, with `newer-schema` if a newer version wrote it. */
export function checkDatabase(file: string): void {
  const database = openReadOnly(file);
  try {
    const result = String(Object.values(one(database, "PRAGMA integrity_check"))[0]);
    if (result !== "ok") throw damagedError(file, result);
    for (const _ of readRows(database, file));
  } catch (error) {
    throw sqliteError(file, error);
  } finally {
    database.close();
  }
}

/**
 * Puts a backup, which `checkDatabase` accepted, in the place of a folder's database. Fails with `locked` if a
 * gateway uses the folder. Resolves to the path under which the database before is kept.
 */
export async function restoreDatabase(folder: string, file: string): Promise<string | undefined> {
  const path = databasePath(folder);
  const draft = `${path}.restoring`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  checkFileSystem(folder);
  const unlock = lockFolder(folder, () => describeOwnerOf(path));
  try {
    const generation = await endFormer(folder, path);
    copyFileSync(file, draft);
    chmodSync(draft, 0o600);
    renumber(draft, generation);
    sync(draft);
    const aside = setAside(path);
    renameSync(draft, path);
    sync(folder);
    return aside;
  } catch (error) {
    throw sqliteError(path, error);
  } finally {
    rmSync(draft, { force: true });
    unlock();
  }
}

/** Makes sure that no other machine writes the database, and empties its WAL; returns its generation. */
async function endFormer(folder: string, path: string): Promise<number> {
  if (!existsSync(path)) return 0;
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase(path);
    const generation = await claimFolder(database, { folder, onNotice: () => {} });
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return generation;
  } catch (failure) {
    const error = sqliteError(path, failure);
    // A database that can't be used is the reason to restore one.
    if (error.code === "corrupt" || error.code === "newer-schema") return 0;
    throw error;
  } finally {
    database?.close();
  }
}

/** Numbers go on from above those of both databases. */
function renumber(path: string, generation: number): void {
  const database = new DatabaseSync(path);
  try {
    const next = `max(generation, ${generation}) + ${GENERATIONS}`;
    database.exec("PRAGMA synchronous = FULL; BEGIN IMMEDIATE");
    database.exec(`UPDATE owner SET generation = ${next}, released = 1`);
    database.exec(`UPDATE kv_buckets SET revision = revision + ${REVISIONS}`);
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}

/** Keeps the former database. Its WAL must not stay: SQLite would apply it to the restored one. */
function setAside(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const aside = `${path}.before-restore-${time}`;
  linkSync(path, aside);
  const size = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0) renameSync(`${path}-wal`, `${aside}-wal`);
  rmSync(`${path}-wal`, { force: true });
  rmSync(`${path}-shm`, { force: true });
  return aside;
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
