/** Why the gateway did not start, or a command did not run. */
export type OperatorErrorCode =
  | "usage" // a command or option that is not one
  | "port" // an address that cannot be listened on
  | "keys" // keys that cannot be read or written
  | "server" // a server whose settings cannot be used
  | "sandbox" // a Sandbox that would not be safe
  | "audit" // an audit log that cannot be read, or is not as it was written
  | "archive" // an archive that cannot be written or read
  | "engine"; // a folder that cannot be used

/** A mistake that an operator can mend: the message is all that is shown. */
export class OperatorError extends Error {
  readonly code: OperatorErrorCode;

  constructor(code: OperatorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "OperatorError";
    this.code = code;
  }
}
