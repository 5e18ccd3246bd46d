/**
 * The token that a user authenticated with. It's kept for one call or connection, and only exchanged for
 * another (RFC 8693): no message, log or record contains it.
 */
export class SubjectToken {
  readonly #token: string;
  /** Milliseconds since 1970. */
  readonly expires: number | undefined;

  constructor(token: string, expires: number | undefined) {
    this.#token = token;
    this.expires = expires;
  }

  /** The token itself. Only for a request to the configured token endpoint. */
  reveal(): string {
    return this.#token;
  }

  /** Not part of a message between gateways, and not of a log. */
  toJSON(): undefined {
    return undefined;
  }
}
