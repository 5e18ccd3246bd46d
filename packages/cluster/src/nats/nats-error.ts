import { EngineError } from "@vitrine/gateway/engine";

/** An error of JetStream's API. The numbers are part of its protocol. */
export interface ApiError {
  readonly code: number;
  readonly err_code?: number;
  readonly description?: string;
}

export const STREAM_NOT_FOUND = 10059;
export const STREAM_IN_USE = 10058;
export const NO_MESSAGE = 10037;
/** The subject isn't at the expected sequence; the second code while another write is in progress. */
export const WRONG_SEQUENCE: ReadonlySet<number> = new Set([10071, 10164]);
/** A message with this id is being stored right now. */
export const DUPLICATE_IN_PROGRESS = 10158;
// The storage of a server or an account is used up, or a stream has reached its limit.
const FULL: ReadonlySet<number> = new Set([10002, 10023, 10028, 10047, 10077]);
const NO_PEERS = 10005;
/** Sent for a moment by a cluster that starts or loses a server: the request wasn't carried out. */
const TRANSIENT: ReadonlySet<number> = new Set([NO_PEERS, 10008, 10009]);

/** Whether the same request may succeed in a moment. */
export function isTransient(error: ApiError | undefined): boolean {
  return TRANSIENT.has(error?.err_code ?? 0);
}

/** Converts an error of JetStream to one of the engine. */
export function rejectedError(what: string, error: ApiError): EngineError {
  const { err_code: number = 0, description = `error ${error.code}` } = error;
  if (FULL.has(number)) {
    const text = `${what}: NATS has no space left (${description}); nothing was stored. Trim the log or raise the limit.`;
    return new EngineError("full", text);
  }
  if (number === NO_PEERS) {
    const text = `${what}: too few NATS servers for the configured replicas (${description}). Start them or set fewer replicas.`;
    return new EngineError("unavailable", text);
  }
  const text = `${what}: NATS rejected it (${description}, ${number || error.code}).`;
  return new EngineError("unavailable", text);
}

export function timeoutError(what: string, milliseconds: number): EngineError {
  const text = `${what}: no response within ${milliseconds} ms. It may or may not have been done.`;
  return new EngineError("timeout", text);
}

export function unreachableError(what: string): EngineError {
  const text = `${what}: no NATS server is reachable, or none leads. It wasn't done.`;
  return new EngineError("unavailable", text);
}
