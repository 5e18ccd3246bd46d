import { LocalError } from "@vitrine/protocol";
import { registerErrorMessages } from "@vitrine/protocol/error-messages";
import { SERVER_ERROR_MESSAGES, type ServerErrorCode } from "./error-messages.ts";

/** A mistake in how an app is declared; switch on `code`. */
export type ServerError = LocalError<ServerErrorCode>;

/** Creates an error with a full message: a server doesn't count bytes as a view does. */
export function serverError(code: ServerErrorCode, about: unknown): ServerError {
  registerErrorMessages(SERVER_ERROR_MESSAGES);
  return new LocalError(code, about);
}
