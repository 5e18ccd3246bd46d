import type { EngineErrorCode } from "./engine.ts";

/** What an engine could not do. Callers switch on `code`; the message names the value and the remedy. */
export class EngineError extends Error {
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EngineError";
    this.code = code;
  }
}

/** Says that an engine is closed. */
export function closedError(): EngineError {
  return new EngineError("closed", "The engine is closed; open it again.");
}

/** Refuses what is larger than an engine takes. */
export function checkSize(what: string, bytes: number, most: number): void {
  if (bytes <= most) return;
  throw new EngineError(
    "too-large",
    `${what} has ${bytes} bytes, more than ${most}: put it into a blob and store its hash.`,
  );
}
