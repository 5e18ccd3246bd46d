import { CodedError } from "../../errors/coded-error.ts";

/** Why an archive can't be written or read. */
export type ArchiveErrorCode =
  | "unwritable" // the folder or a file in it can't be written
  | "full" // the disk is full
  | "foreign" // the folder contains something else
  | "damaged" // a segment was changed or damaged
  | "other-log" // the archive belongs to another log
  | "lost" // another process took over the folder
  | "missing"; // the folder has no archive

/** A failure of an archive. The message names the folder or file and what to do. */
export class ArchiveError extends CodedError<ArchiveErrorCode> {}

// A quota or a process limit has the same effect as a full disk.
const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Converts a system error about a file. */
export function archiveDiskError(path: string, cause: unknown): ArchiveError {
  if (cause instanceof ArchiveError) return cause;
  const code = (cause as NodeJS.ErrnoException)?.code ?? "unknown";
  if (FULL.has(code)) {
    const text = `The disk is too full for ${path} (${code}). Free space. Records stay in the log until they are archived.`;
    return new ArchiveError("full", text, { cause });
  }
  const text = `${path} can't be written or read (${code}). Check the disk and the permissions.`;
  return new ArchiveError("unwritable", text, { cause });
}
