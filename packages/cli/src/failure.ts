/** Why a command could not run. */
export type FailureCode =
  | "usage"
  | "server-start"
  | "server-unreachable"
  | "login-needed"
  | "login-failed"
  | "no-browser"
  | "no-package"
  | "port-taken"
  | "folder-taken"
  | "unreadable";

/** Ends a command with a message for the user: the value and the remedy. */
export class Failure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "Failure";
    this.code = code;
  }
}

/** The text to print for an error: a failure's message alone, for a bug the stack too. */
export function wordsOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  // From `parseArgs`: an unknown option.
  if (error instanceof TypeError && `${(error as { code?: unknown }).code}`.startsWith("ERR_PARSE"))
    return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
