/** Why a script of a model can't be used. */
export type ScriptErrorCode =
  /** The file doesn't exist, or isn't JSON or a module. */
  | "script-unreadable"
  /** The script has a field that isn't allowed, or lacks one. */
  | "script-invalid";

/** A script that can't be used. The message names the field and what to write instead. */
export class ScriptError extends Error {
  readonly code: ScriptErrorCode;

  constructor(code: ScriptErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "ScriptError";
    this.code = code;
  }
}
