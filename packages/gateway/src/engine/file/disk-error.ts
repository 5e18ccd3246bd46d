import { EngineError } from "../errors.ts";

// A quota and a limit of the process fill a disk as its last block does.
const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** What the system said of a file, as an error of the engine. */
export function diskError(path: string, cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  const code = (cause as NodeJS.ErrnoException)?.code ?? "unknown";
  if (FULL.has(code)) {
    const text = `There is no room for ${path} (${code}); nothing was stored. Free space, or trim the log.`;
    return new EngineError("full", text, { cause });
  }
  const text = `${path} cannot be written or read (${code}); look at the disk and its permissions.`;
  return new EngineError("unavailable", text, { cause });
}

/** Whether a file is not there. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException)?.code === "ENOENT";
}

/** Says that what was read is not what was written. */
export function corruptError(path: string, offset: number, what: string): EngineError {
  const text = `${path} is damaged at byte ${offset}: ${what}. Restore it from a copy, or move it away.`;
  return new EngineError("corrupt", text);
}
