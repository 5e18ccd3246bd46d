import {
  isJsonRpcNotification,
  isJsonRpcRequest,
  isJsonRpcResponse,
  type JsonRpcError,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResult,
} from "@vitrine/protocol";
import { foldKey } from "../../json-rpc/folded-key.ts";
import { parseJson } from "../../json-rpc/parse.ts";

/** A message from a server. */
export type ServerMessage =
  | { kind: "response"; message: JsonRpcResult | JsonRpcError }
  | { kind: "notification"; message: JsonRpcNotification }
  | { kind: "request"; message: JsonRpcRequest };

/** Reads a message. Undefined if it isn't JSON-RPC 2.0. */
export function readServerMessage(text: string): ServerMessage | undefined {
  let message: unknown;
  try {
    message = withoutLookalikes(parseJson(text));
  } catch {
    return undefined;
  }
  if (isJsonRpcResponse(message)) return { kind: "response", message };
  if (isJsonRpcNotification(message)) return { kind: "notification", message };
  if (isJsonRpcRequest(message)) return { kind: "request", message };
  return undefined;
}

const MEMBERS: ReadonlySet<string> = new Set([
  "jsonrpc",
  "id",
  "method",
  "params",
  "result",
  "error",
]);

/** Drops keys that differ from a member only by case, because some clients read `Result` as `result`. */
function withoutLookalikes(message: unknown): unknown {
  if (typeof message !== "object" || message === null) return message;
  for (const key of Object.keys(message)) {
    if (!MEMBERS.has(key) && MEMBERS.has(foldKey(key))) Reflect.deleteProperty(message, key);
  }
  return message;
}
