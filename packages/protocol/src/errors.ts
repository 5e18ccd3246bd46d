/**
 * What the other side answered: a JSON-RPC error with its numeric code. Thrown by a handler, it is
 * the answer; anything else a handler throws leaves as a plain "Internal error".
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
 * Turns a code and the value it is about into the message of an error. By default terse, because a
 * View counts bytes: the code is an anchor in `errors.md` of `@vitrine/view`. `speakIn` of
 * `@vitrine/protocol/sentences` replaces it with full sentences.
 */
export const wording: { explain: (code: string, about: unknown) => string } = {
  explain: (code, about) => `errors.md#${code}: ${about}`,
};

/**
 * What happened on this side, never on the wire. One class for the whole system, because a View
 * carries it; each package closes the set of its codes, and callers switch on `code`. Who has a
 * `cause` sets it.
 */
export class LocalError<Code extends string = string> extends Error {
  declare readonly code: Code;

  constructor(code: Code, about: unknown) {
    super(wording.explain(code, about));
    this.name = "LocalError";
    this.code = code;
  }
}

/** What can happen to a request or a channel. */
export type PeerErrorCode =
  | "closed" // no channel, or it closed while the request was under way
  | "timeout"; // no answer in time
