import {
  isJsonRpcNotification,
  isJsonRpcRequest,
  isJsonRpcResponse,
  type JsonRpcError,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResult,
} from "@vitrine/protocol";
import { parseJson } from "../../json-rpc/parse.ts";

/** A message of a server. */
export type ServerMessage =
  | { kind: "response"; message: JsonRpcResult | JsonRpcError }
  | { kind: "notification"; message: JsonRpcNotification }
  | { kind: "request"; message: JsonRpcRequest };

/** Reads a message; undefined for whatever is not JSON-RPC 2.0. */
export function readServerMessage(text: string): ServerMessage | undefined {
  let message: unknown;
  try {
    message = parseJson(text);
  } catch {
    return undefined;
  }
  if (isJsonRpcResponse(message)) return { kind: "response", message };
  if (isJsonRpcNotification(message)) return { kind: "notification", message };
  if (isJsonRpcRequest(message)) return { kind: "request", message };
  return undefined;
}
