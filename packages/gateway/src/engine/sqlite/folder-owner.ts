// One process writes a folder. Two mechanisms keep others out:
//
// - A lock of the operating system on `owner.lock`, held until the process ends, however it ends. It covers all
//   processes of this machine, containers included.
// - A generation in the database, for processes that the lock doesn't reach. Each commit checks it in its own
//   transaction (`commit-worker.ts`), so that a process whose folder was taken over can't write any more. A new
//   process takes over only when the owner is on this machine (then the lock proves that it ended), released the
//   folder, or stopped renewing its heartbeat.

import { closeSync, openSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EngineError } from "../engine-error.ts";
import { openReadOnly } from "./database.ts";
import { isBusy, sqliteError } from "./sqlite-error.ts";

/** Milliseconds between two heartbeats. */
export const HEARTBEAT = 2_000;
/** Milliseconds without a heartbeat after which an owner on another machine counts as dead. */
const SILENCE = 10_000;
const POLL = 250;

interface OwnerRow {
  generation: number;
  machine: string;
  host: string;
  pid: number;
  beats: number;
  released: number;
}

/** Takes the lock of a folder, or fails with `locked`. Returns a function that releases it. */
export function lockFolder(folder: string, describeOwner: () => string): () => void {
  const path = join(folder, "owner.lock");
  let lock: DatabaseSync | undefined;
  try {
    closeSync(openSync(path, "a", 0o600));
    lock = new DatabaseSync(path, { timeout: 0 });
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock?.close();
    if (isBusy(error)) throw lockedError(folder, describeOwner());
    throw sqliteError(path, error);
  }
  const held = lock;
  return () => {
    if (held.isOpen) held.close();
  };
}

/** Makes this process the owner; resolves to its generation. The caller holds the lock of the folder. */
export async function claimFolder(
  database: DatabaseSync,
  { folder, onNotice }: { folder: string; onNotice(text: string): void },
): Promise<number> {
  const start = performance.now();
  let first: OwnerRow | undefined;
  for (;;) {
    database.exec("BEGIN IMMEDIATE");
    try {
      const row = readOwner(database);
      const isSilent = performance.now() - start >= SILENCE;
      if (!row || isOver(row) || isSilent) {
        if (row && !row.released) {
          onNotice(`Took over ${folder} from ${describe(row)}, which ended without releasing it.`);
        }
        const generation = (row?.generation ?? 0) + 1;
        writeOwner(database, generation);
        database.exec("COMMIT");
        return generation;
      }
      first ??= row;
      if (row.beats !== first.beats || row.generation !== first.generation) {
        throw lockedError(folder, describe(row));
      }
    } finally {
      if (database.isTransaction) database.exec("ROLLBACK");
    }
    await new Promise((resolve) => setTimeout(resolve, POLL));
  }
}

/** Describes the process that has a database. */
export function describeOwnerOf(path: string): string {
  try {
    const database = openReadOnly(path);
    try {
      const row = readOwner(database);
      return row ? describe(row) : "another process";
    } finally {
      database.close();
    }
  } catch {
    return "another process";
  }
}

function lockedError(folder: string, owner: string): EngineError {
  const text = `${folder} is in use by ${owner}. End that process, or use another folder.`;
  return new EngineError("locked", text);
}

/** Whether the lock proves that this owner ended, or it said so. */
function isOver({ released, machine }: OwnerRow): boolean {
  return released === 1 || machine === thisMachine();
}

function readOwner(database: DatabaseSync): OwnerRow | undefined {
  return database.prepare("SELECT * FROM owner").get() as OwnerRow | undefined;
}

function writeOwner(database: DatabaseSync, generation: number): void {
  database
    .prepare("INSERT OR REPLACE INTO owner VALUES (1, ?, ?, ?, ?, 0, 0)")
    .run(generation, thisMachine(), hostname(), process.pid);
}

function describe({ pid, host }: OwnerRow): string {
  return `process ${pid} on ${host}`;
}

/** Changes with each boot: after a restart of the machine, the previous owner looks like one on another machine. */
function thisMachine(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return hostname();
  }
}
