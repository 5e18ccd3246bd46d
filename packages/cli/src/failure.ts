/** Why a command could not be run at all. */
export type FailureCode =
  | "usage"
  | "server-start"
  | "server-unreachable"
  | "no-browser"
  | "no-package"
  | "port-taken"
  | "folder-taken"
  | "unreadable";

/** An end with words for the person who typed the command: the value, and the remedy. */
export class Failure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "Failure";
    this.code = code;
  }
}

/** What to print of an error: a failure's words alone, and of a bug the place too. */
export function wordsOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  // Of `parseArgs`: an option that is not there.
  if (error instanceof TypeError && `${(error as { code?: unknown }).code}`.startsWith("ERR_PARSE"))
    return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
