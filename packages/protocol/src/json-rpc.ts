/** A JSON-RPC id. The official View's first request has the id 0, so never test an id for truthiness. */
export type RequestId = string | number;

/** A call that expects a response. */
export interface JsonRpcRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: string;
  params?: unknown;
}

/** A message without a response. */
export interface JsonRpcNotification {
  jsonrpc: "2.0";
  method: string;
  params?: unknown;
}

/** The response to a successful request. */
export interface JsonRpcResult {
  jsonrpc: "2.0";
  id: RequestId;
  result: unknown;
}

/** The response to a failed request. */
export interface JsonRpcError {
  jsonrpc: "2.0";
  /** Missing or null if the request could not be read. */
  id?: RequestId | null | undefined;
  error: { code: number; message: string; data?: unknown };
}

/** Any message on a channel. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResult | JsonRpcError;

/** The message is not JSON. */
export const PARSE_ERROR = -32700;
/** The message is JSON but not JSON-RPC. */
export const INVALID_REQUEST = -32600;
/** There is no handler for this method. */
export const METHOD_NOT_FOUND = -32601;
/** The method exists, but its params are invalid. */
export const INVALID_PARAMS = -32602;
/** The handler failed; details stay on its side. */
export const INTERNAL_ERROR = -32603;
/** Rejected by the user, by policy, or because of the current state. */
export const REFUSED = -32000;

/** True for a valid `id`: NaN and the infinities don't survive JSON. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isFinite(value);
}

function isMessage(value: unknown): value is Record<string, unknown> {
  return (value as { jsonrpc?: unknown } | null)?.jsonrpc === "2.0";
}

/** True for a well-formed request. */
export function isJsonRpcRequest(value: unknown): value is JsonRpcRequest {
  return isMessage(value) && typeof value.method === "string" && isRequestId(value.id);
}

/** True for a well-formed notification. */
export function isJsonRpcNotification(value: unknown): value is JsonRpcNotification {
  return isMessage(value) && typeof value.method === "string" && value.id === undefined;
}

/** True for a response of either kind. */
export function isJsonRpcResponse(value: unknown): value is JsonRpcResult | JsonRpcError {
  if (!isMessage(value) || value.method !== undefined) return false;
  const { id, error } = value;
  if (error === undefined) return isRequestId(id) && "result" in value;
  return (id === null || id === undefined || isRequestId(id)) && isErrorBody(error);
}

function isErrorBody(value: unknown): boolean {
  const body = value as { code?: unknown; message?: unknown } | null;
  return Number.isInteger(body?.code) && typeof body?.message === "string";
}
