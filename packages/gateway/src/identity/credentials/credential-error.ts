import { CodedError } from "../../errors/coded-error.ts";

/** Why a user's login to a server failed. */
export type CredentialErrorCode =
  | "not-connected" // the user isn't logged in or has to log in again
  | "no-oauth" // the server isn't configured for logins
  | "unknown-flow" // the state or confirmation is unknown, expired or already used
  | "other-user" // started by one user, confirmed by another
  | "issuer" // the response came from a different authorization server
  | "resource" // the server's metadata describe a different resource
  | "insecure" // an address isn't https
  | "incompatible" // the authorization server lacks a required feature
  | "denied" // the authorization server, or the user there, denied the login
  | "rate" // too many logins, by this user or in total
  | "bad-return" // the return page doesn't have a configured origin
  | "unavailable"; // the authorization server is unreachable or its response is invalid

/** A failed login. The message is for users and logs and never contains a token. */
export class CredentialError extends CodedError<CredentialErrorCode> {
  /** Seconds to wait before another attempt. */
  retryAfter?: number;
}
