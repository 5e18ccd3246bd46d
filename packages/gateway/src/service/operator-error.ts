import { CodedError } from "../errors/coded-error.ts";

/** Why the gateway didn't start, or a command failed. */
export type OperatorErrorCode =
  | "usage" // an unknown command or option
  | "port" // an address that can't be listened on
  | "keys" // keys that can't be read or written
  | "server" // a server with invalid settings
  | "sandbox" // a Sandbox that wouldn't be safe
  | "audit" // an audit log that can't be read or was modified
  | "archive" // an archive that can't be written or read
  | "admin" // the admin port doesn't answer, or refused a command
  | "policy" // access policies that can't be used
  | "stopped" // a signal ended the start
  | "engine"; // a folder that can't be used

/** A mistake that an operator can fix. Only the message is shown. */
export class OperatorError extends CodedError<OperatorErrorCode> {}
