import {
  isJsonRpcNotification,
  isJsonRpcRequest,
  isJsonRpcResponse,
  type JsonRpcError,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResult,
} from "@vitrine/protocol";
import { endOfString, onOneLine } from "./json-text.ts";

/** A message of a server: its text, on one line, and what it says. */
export type ServerMessage =
  | { kind: "response"; text: string; message: JsonRpcResult | JsonRpcError }
  | { kind: "notification"; text: string; message: JsonRpcNotification }
  | { kind: "request"; text: string; message: JsonRpcRequest };

// Below this size no nesting can take noteworthy memory.
const SMALL = 64 * 1024;
const DEEPEST = 256;
const MOST_NESTS = 1_000_000;

/** Reads a message; undefined for whatever is not JSON-RPC 2.0. */
export function readServerMessage(raw: string): ServerMessage | undefined {
  let message: unknown;
  try {
    if (raw.length > SMALL && isBomb(raw)) return undefined;
    message = JSON.parse(raw);
  } catch {
    return undefined;
  }
  const text = onOneLine(raw);
  if (isJsonRpcResponse(message)) return { kind: "response", text, message };
  if (isJsonRpcNotification(message)) return { kind: "notification", text, message };
  if (isJsonRpcRequest(message)) return { kind: "request", text, message };
  return undefined;
}

/** True for text that grows out of proportion when parsed: 8 MiB of brackets become half a gigabyte. */
function isBomb(text: string): boolean {
  let depth = 0;
  let nests = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at) - 1;
    else if (char === "]" || char === "}") depth--;
    else if ((char === "[" || char === "{") && (++depth > DEEPEST || ++nests > MOST_NESTS)) {
      return true;
    }
  }
  return false;
}
