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
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as { code?: unknown; path?: unknown };
  // From `parseArgs`: an option without a value, or one too many.
  if (error instanceof TypeError && `${code}`.startsWith("ERR_PARSE")) return error.message;
  const problem = FILE_PROBLEMS[`${code}`];
  // A file that the user has named.
  if (problem !== undefined && typeof path === "string") return `${path} ${problem}`;
  return error.stack ?? error.message;
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "doesn't exist. Check the path.",
  EACCES: "can't be accessed. Check its permissions.",
  EISDIR: "is a folder. Name a file.",
  ENOTDIR: "can't be reached: a part of its path is a file.",
};
