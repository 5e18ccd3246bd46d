/**
 * A JSON-RPC error response of the other side, with its numeric code. If a handler throws one, it is
 * sent as the response; any other error of a handler is sent as a plain "Internal error".
 */
export class RpcError extends Error {
  declare readonly code: number;
  declare readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
  }
}

/**
 * Builds the message of an error from its code and the value it is about. Terse by default, because a
 * View counts bytes: the code is an anchor in `errors.md` of `@vitrine/view`. `registerErrorMessages` of
 * `@vitrine/protocol/error-messages` replaces it with full messages.
 */
export const wording: { explain: (code: string, about: unknown) => string } = {
  explain: (code, about) => `errors.md#${code}: ${about}`,
};

/**
 * An error on this side, never sent over the wire. There is one class for the whole system, because a
 * View's bundle contains it. Each package has a closed set of codes, and callers switch on `code`.
 * `cause` is set if there is one.
 */
export class LocalError<Code extends string = string> extends Error {
  declare readonly code: Code;

  constructor(code: Code, about: unknown) {
    super(wording.explain(code, about));
    this.name = "LocalError";
    this.code = code;
  }
}

/** The errors of a request or a channel. */
export type PeerErrorCode =
  | "closed" // no channel, or it closed while the request was in flight
  | "timeout"; // no response in time
