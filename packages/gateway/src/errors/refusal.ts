// Why a request was refused: one closed set for every carrier. Programs and the audit log use the code,
// JSON-RPC clients the number, HTTP clients the status.

import { type MessageText, serialize } from "../json-rpc/serialize.ts";

/** Why a request was refused. */
export type RefusalCode =
  | "unauthenticated"
  | "insufficient-scope"
  | "login-unavailable"
  | "blocked"
  | "foreign-host"
  | "foreign-origin"
  | "foreign-site"
  | "not-json"
  | "unknown-server"
  | "ticket-invalid"
  | "ticket-expired"
  | "ticket-foreign"
  | "malformed"
  | "ambiguous"
  | "envelope"
  | "too-large"
  | "header-mismatch"
  | "unsupported-version"
  | "unknown-method"
  | "unknown-tool"
  | "foreign-resource"
  | "arguments"
  | "schema-limit"
  | "forbidden"
  | "paused"
  | "consent-required"
  | "approval-required"
  | "connect-required"
  | "changed-since-approval"
  | "rate"
  | "busy"
  | "audit-full"
  | "draining"
  | "unavailable"
  | "timeout"
  | "outcome-unknown"
  | "aborted"
  | "internal";

/** The JSON-RPC number and the HTTP status of each reason. */
const NUMBERS: Readonly<Record<RefusalCode, readonly [rpc: number, status: number]>> = {
  unauthenticated: [-33_001, 401],
  "insufficient-scope": [-33_017, 403],
  "login-unavailable": [-33_018, 503],
  blocked: [-33_022, 403],
  "foreign-host": [-33_002, 421],
  "foreign-origin": [-33_002, 403],
  "foreign-site": [-33_002, 403],
  "not-json": [-32_700, 415],
  "unknown-server": [-33_003, 404],
  "ticket-invalid": [-33_004, 401],
  "ticket-expired": [-33_004, 401],
  "ticket-foreign": [-33_004, 403],
  malformed: [-32_600, 400],
  ambiguous: [-32_600, 400],
  envelope: [-32_602, 400],
  "too-large": [-32_600, 413],
  "header-mismatch": [-32_020, 400],
  "unsupported-version": [-32_022, 400],
  "unknown-method": [-32_601, 404],
  "unknown-tool": [-32_602, 200],
  "foreign-resource": [-32_602, 200],
  arguments: [-32_602, 200],
  "schema-limit": [-33_016, 503],
  forbidden: [-33_019, 200],
  paused: [-33_025, 503],
  "consent-required": [-33_005, 200],
  "approval-required": [-33_020, 200],
  "connect-required": [-33_015, 200],
  "changed-since-approval": [-33_006, 200],
  rate: [-33_007, 429],
  busy: [-33_008, 503],
  "audit-full": [-33_009, 503],
  draining: [-33_010, 503],
  unavailable: [-33_011, 502],
  timeout: [-33_012, 504],
  "outcome-unknown": [-33_013, 502],
  aborted: [-33_014, 499],
  internal: [-32_603, 500],
};

/** A refused request. */
export interface Refusal {
  code: RefusalCode;
  /** Quotes the value and tells the caller what to do. Contains nothing about upstreams, paths or secrets. */
  message: string;
  data?: Record<string, unknown>;
  /** Seconds to wait before the next attempt. */
  retryAfter?: number;
}

/** Creates a refusal. */
export function refuse(
  code: RefusalCode,
  message: string,
  more: Pick<Refusal, "data" | "retryAfter"> = {},
): Refusal {
  return { code, message, ...more };
}

/** The JSON-RPC number of a reason. */
export function rpcCodeOf(code: RefusalCode): number {
  return NUMBERS[code][0];
}

/** The HTTP status of a reason. */
export function statusOf(code: RefusalCode): number {
  return NUMBERS[code][1];
}

/** Converts a refusal to the response to a request. */
export function toErrorFrame(id: string | number | null, refusal: Refusal): MessageText {
  const { code, message, data } = refusal;
  const error = { code: rpcCodeOf(code), message, data: { ...data, reason: code } };
  return serialize({ jsonrpc: "2.0", id, error });
}
