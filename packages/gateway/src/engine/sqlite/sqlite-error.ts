import { EngineError } from "../engine-error.ts";

/** An error of `node:sqlite`. */
interface SqliteFailure extends Error {
  readonly code: "ERR_SQLITE_ERROR";
  readonly errcode: number;
  readonly errstr: string;
}

// Result codes of SQLite: https://www.sqlite.org/rescode.html. The low byte is the primary code.
const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;
const WRITE_FAILED = 778;

/** Translates what SQLite or the system reports about a file. */
export function sqliteError(path: string, cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  if (!isSqliteFailure(cause)) return systemError(path, cause);
  const { errcode, errstr } = cause;
  const primary = errcode & 0xff;
  if (primary === FULL) return fullError(path, errstr, cause);
  // SQLite reports a quota and a limit on the size of files this way, not as a full disk.
  if (errcode === WRITE_FAILED) {
    const text = `${path} can't be written (${errstr}): the disk is full, over its quota or failing. Nothing was stored. Free space, trim the log or check the disk.`;
    return new EngineError("full", text, { cause });
  }
  if (primary === CORRUPT || primary === NOT_A_DATABASE) return damagedError(path, errstr, cause);
  if (primary === BUSY || primary === LOCKED) return busyError(path, cause);
  const text = `${path} can't be read or written (${errstr}, SQLite code ${errcode}). Check the disk and the permissions.`;
  return new EngineError("unavailable", text, { cause });
}

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return isSqliteFailure(error) && (error.errcode & 0xff) === BUSY;
}

export function damagedError(path: string, what: string, cause?: unknown): EngineError {
  const text = `${path} is damaged: ${what}. Restore it with: vitrine gateway restore <backup file>.`;
  return new EngineError("corrupt", text, { cause });
}

function fullError(path: string, why: string, cause: unknown): EngineError {
  const text = `There is no space left for ${path} (${why}); nothing was stored. Free space or trim the log.`;
  return new EngineError("full", text, { cause });
}

function busyError(path: string, cause: unknown): EngineError {
  const text = `Another process keeps ${path} locked; nothing was stored. End that process, for example an open sqlite3 shell with a transaction.`;
  return new EngineError("unavailable", text, { cause });
}

function systemError(path: string, cause: unknown): EngineError {
  const code = (cause as NodeJS.ErrnoException)?.code ?? "unknown";
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG") {
    return fullError(path, code, cause);
  }
  const text = `${path} can't be read or written (${code}). Check the disk and the permissions.`;
  return new EngineError("unavailable", text, { cause });
}

function isSqliteFailure(error: unknown): error is SqliteFailure {
  return (error as Partial<SqliteFailure>)?.code === "ERR_SQLITE_ERROR";
}
