import { CodedError } from "../errors/coded-error.ts";

/** Why a request to the admin port failed. */
export type AdminErrorCode =
  | "unauthenticated"
  | "forbidden"
  | "foreign-host"
  | "foreign-origin"
  | "not-json"
  | "malformed"
  | "not-found"
  | "conflict"
  | "rate"
  | "unavailable"
  | "internal";

/** The HTTP status of each reason. */
export const STATUS: Readonly<Record<AdminErrorCode, number>> = {
  unauthenticated: 401,
  forbidden: 403,
  "foreign-host": 421,
  "foreign-origin": 403,
  "not-json": 415,
  malformed: 400,
  "not-found": 404,
  conflict: 409,
  rate: 429,
  unavailable: 503,
  internal: 500,
};

/** A failed request. The message is for the operator. */
export class AdminError extends CodedError<AdminErrorCode> {}
