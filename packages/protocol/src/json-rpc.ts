/** A JSON-RPC id. The official View numbers its first request 0, so never test an id for truth. */
export type RequestId = string | number;

/** A call that expects an answer. */
export interface JsonRpcRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: string;
  params?: unknown;
}

/** A message that expects none. */
export interface JsonRpcNotification {
  jsonrpc: "2.0";
  method: string;
  params?: unknown;
}

/** The answer to a request that went well. */
export interface JsonRpcResult {
  jsonrpc: "2.0";
  id: RequestId;
  result: unknown;
}

/** The answer to a request that did not. */
export interface JsonRpcError {
  jsonrpc: "2.0";
  /** Missing or null where the request could not be read. */
  id?: RequestId | null | undefined;
  error: { code: number; message: string; data?: unknown };
}

/** Everything that travels on a channel. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResult | JsonRpcError;

/** The message is not JSON. */
export const PARSE_ERROR = -32700;
/** The message is JSON but not JSON-RPC. */
export const INVALID_REQUEST = -32600;
/** Nobody handles this method. */
export const METHOD_NOT_FOUND = -32601;
/** The method is known, its params are not acceptable. */
export const INVALID_PARAMS = -32602;
/** The handler failed; details stay on its side. */
export const INTERNAL_ERROR = -32603;
/** Refused: by the user, by policy, or because the moment is wrong. */
export const REFUSED = -32000;

/** True for what may stand in `id`: NaN and the infinities do not survive JSON. */
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

/** True for an answer of either kind. */
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
