// Presents servers with a handshake as servers of 2026-07-28. Only changes what differs.

import type { JsonRpcError, JsonRpcResult } from "@vitrine/protocol";
import type { CallerMessage, RequestMessage } from "../json-rpc/message.ts";
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LOG_LEVEL_KEY,
  MODERN_VERSION,
  renumbered,
  SERVER_INFO_KEY,
  VERSION_KEY,
} from "./frames/request-meta.ts";
import type { DiscoverResult, UpstreamAnswer } from "./upstream.ts";

// Sent once, in the handshake. In a request, they could make a server that supports both eras assume the
// wrong one.
const ENVELOPE = [VERSION_KEY, CLIENT_INFO_KEY, CLIENT_CAPABILITIES_KEY, LOG_LEVEL_KEY];

const CACHEABLE: ReadonlySet<string> = new Set([
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

const RESOURCE_NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;

/** Converts a request for a server with a handshake. */
export function legacyRequest(message: CallerMessage, id: number): RequestMessage {
  return renumbered(message, id, { without: ENVELOPE });
}

/** Converts the response of such a server to one of 2026-07-28. */
export function modernAnswer(method: string, { message }: UpstreamAnswer): UpstreamAnswer {
  return { message: "result" in message ? modernResult(method, message) : modernError(message) };
}

function modernResult(method: string, message: JsonRpcResult): JsonRpcResult {
  const result = message.result as Record<string, unknown> | null;
  if (typeof result !== "object" || result === null || Array.isArray(result)) return message;
  const fill: Record<string, unknown> = {
    resultType: "complete",
    // Such a server gives no cache lifetime or scope, so its response isn't cached.
    ...(CACHEABLE.has(method) && { ttlMs: 0, cacheScope: "private" }),
  };
  const missing = Object.entries(fill).filter(([key]) => !Object.hasOwn(result, key));
  return { ...message, result: { ...result, ...Object.fromEntries(missing) } };
}

function modernError(message: JsonRpcError): JsonRpcError {
  if (message.error.code !== RESOURCE_NOT_FOUND) return message;
  return { ...message, error: { ...message.error, code: INVALID_PARAMS } };
}

/** Converts the result of the handshake to a result of `server/discover`. */
export function discoveredBy(initialized: Record<string, unknown>): DiscoverResult {
  const { capabilities, instructions, serverInfo, _meta } = initialized;
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  return {
    resultType: "complete",
    supportedVersions: [MODERN_VERSION],
    capabilities: isObject(capabilities) ? capabilities : {},
    ...(typeof instructions === "string" && { instructions }),
    ttlMs: 0,
    cacheScope: "private",
    _meta: {
      ...(isObject(_meta) && _meta),
      ...(isObject(serverInfo) && { [SERVER_INFO_KEY]: serverInfo }),
    },
  };
}
