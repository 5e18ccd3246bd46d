import { EngineError } from "../errors.ts";

/** What JetStream says when it refuses; the numbers are its own and stay the same. */
export interface ApiError {
  readonly code: number;
  readonly err_code?: number;
  readonly description?: string;
}

export const STREAM_NOT_FOUND = 10059;
export const STREAM_IN_USE = 10058;
export const NO_MESSAGE = 10037;
/** The subject is not at the sequence that was named; the second while that write is still under way. */
export const WRONG_SEQUENCE: ReadonlySet<number> = new Set([10071, 10164]);
/** A message with this id is being stored at this moment. */
export const DUPLICATE_UNDER_WAY = 10158;
// Storage of a server or an account is used up, or a stream has reached its limit.
const NO_ROOM: ReadonlySet<number> = new Set([10002, 10023, 10028, 10047, 10077]);
const NO_PEERS = 10005;
/** A cluster that starts, or loses a server, says so for a moment: what it asks for was not done. */
const PASSING: ReadonlySet<number> = new Set([NO_PEERS, 10008, 10009]);

/** Whether a refusal may be over in a moment. */
export function isPassing(error: ApiError | undefined): boolean {
  return PASSING.has(error?.err_code ?? 0);
}

/** What JetStream refused, as a code of the port. */
export function refusedError(what: string, error: ApiError): EngineError {
  const { err_code: number = 0, description = `error ${error.code}` } = error;
  if (NO_ROOM.has(number)) {
    const text = `${what}: NATS has no room (${description}); nothing was stored. Trim, or give it more.`;
    return new EngineError("full", text);
  }
  if (number === NO_PEERS) {
    const text = `${what}: too few servers for its replicas (${description}); start them, or ask for fewer.`;
    return new EngineError("unavailable", text);
  }
  const text = `${what}: NATS refused it (${description}, ${number || error.code}).`;
  return new EngineError("unavailable", text);
}

export function lateError(what: string, milliseconds: number): EngineError {
  const text = `${what}: no answer within ${milliseconds} ms; whether it was done is unknown.`;
  return new EngineError("timeout", text);
}

export function awayError(what: string): EngineError {
  const text = `${what}: no NATS server can be reached, or none leads; it was not done.`;
  return new EngineError("unavailable", text);
}
