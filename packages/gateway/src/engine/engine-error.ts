import { CodedError } from "../errors/coded-error.ts";
import type { EngineErrorCode } from "./engine.ts";

/** A failure of an engine. Callers switch on `code`; the message names the value and what to do. */
export class EngineError extends CodedError<EngineErrorCode> {}

/** The error for a closed engine. */
export function closedError(): EngineError {
  return new EngineError("closed", "The engine is closed. Open it again.");
}

/** Rejects data that is larger than the engine accepts. */
export function checkSize(what: string, bytes: number, most: number): void {
  if (bytes <= most) return;
  throw new EngineError(
    "too-large",
    `${what} has ${bytes} bytes, but at most ${most} are allowed. Store it as a blob and keep its hash.`,
  );
}
