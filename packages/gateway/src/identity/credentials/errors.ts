/** Why a user's log-in to a server did not come about. */
export type CredentialErrorCode =
  | "not-connected" // the user has not logged in, or must do it again
  | "no-oauth" // the server's configuration has no log-in
  | "unknown-flow" // a state or confirmation that was not given out, is used up, or too old
  | "other-user" // begun by one user, confirmed by another
  | "issuer" // an answer of another authorization server than the one that was asked
  | "resource" // the server's metadata speak of another resource
  | "insecure" // an address that is not https
  | "incompatible" // an authorization server that lacks what must be
  | "denied" // the authorization server, or the user there, said no
  | "rate" // too many log-ins, of this user or of all
  | "bad-return" // a page to return to that is not of the configured origins
  | "unavailable"; // it cannot be reached, or does not answer as it should

/** A log-in that did not come about. The message is for users and logs: nothing of a token is in it. */
export class CredentialError extends Error {
  readonly code: CredentialErrorCode;
  /** Seconds after which another attempt makes sense. */
  retryAfter?: number;

  constructor(code: CredentialErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CredentialError";
    this.code = code;
  }
}
