import { LocalError } from "@vitrine/protocol";
import { registerErrorMessages } from "@vitrine/protocol/error-messages";
import { SANDBOX_ERROR_MESSAGES, type SandboxErrorCode } from "./error-messages.ts";

/** An error in the setup or use of the Sandbox; switch on `code`. */
export type SandboxError = LocalError<SandboxErrorCode>;

/** Creates an error with a full message: a server doesn't count bytes as a view does. */
export function sandboxError(code: SandboxErrorCode, about: unknown): SandboxError {
  registerErrorMessages(SANDBOX_ERROR_MESSAGES);
  return new LocalError(code, about);
}
