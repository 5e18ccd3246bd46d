import { Failure } from "../failure.ts";

/** What a server said when it rejected a request. */
export interface LoginChallenge {
  /** Where its metadata is, if it said so. */
  readonly metadata?: URL | undefined;
  /** The scopes that it wants. */
  readonly scope?: string | undefined;
  /** The token was accepted, but it lacks a scope. */
  readonly isStepUp?: boolean;
}

/** The server wants the user to log in first. */
export class LoginNeeded extends Failure {
  constructor(url: URL, reason = "wants you to log in") {
    const name = `${url.origin}${url.pathname}`;
    super("login-needed", `${name} ${reason}. Run \`vitrine login ${url.href}\`, then try again.`);
    this.name = "LoginNeeded";
  }
}

/** The first `LoginNeeded` among an error and its causes. */
export function loginNeededOf(error: unknown): LoginNeeded | undefined {
  for (let one = error, depth = 0; one instanceof Error && depth < 8; one = one.cause, depth++)
    if (one instanceof LoginNeeded) return one;
  return undefined;
}
