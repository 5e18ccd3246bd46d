/** Why an archive is not written, or cannot be read. */
export type ArchiveErrorCode =
  | "unwritable" // the folder or a file in it cannot be written
  | "full" // there is no room
  | "foreign" // the folder holds something else
  | "damaged" // a segment is not as it was written
  | "other-log" // what is archived is not of the log that is there now
  | "lost" // another process has the folder now
  | "missing"; // there is no archive

/** What an archive could not do; the message names the folder or file and the remedy. */
export class ArchiveError extends Error {
  readonly code: ArchiveErrorCode;

  constructor(code: ArchiveErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ArchiveError";
    this.code = code;
  }
}

// A quota and a limit of the process fill a disk as its last block does.
const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** What the system said of a file. */
export function archiveDiskError(path: string, cause: unknown): ArchiveError {
  if (cause instanceof ArchiveError) return cause;
  const code = (cause as NodeJS.ErrnoException)?.code ?? "unknown";
  if (FULL.has(code)) {
    const text = `There is no room for ${path} (${code}); free space. Records stay in the log until they are archived.`;
    return new ArchiveError("full", text, { cause });
  }
  const text = `${path} cannot be written or read (${code}); look at the disk, and at who may write there.`;
  return new ArchiveError("unwritable", text, { cause });
}
