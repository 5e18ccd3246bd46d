// Checks the headers and `_meta` of a 2026-07-28 request. Headers that contradict the body are refused,
// because proxies route by them. Clients of the older protocol without a session, and our own WebSocket
// clients, get `_meta` from the gateway: a View's claims about itself are never used (GW-07).

import { type Refusal, refuse } from "../../errors/refusal.ts";
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  GATEWAY_IDENTITY,
  LOG_LEVEL_KEY,
  MODERN_VERSION,
  VERSION_KEY,
} from "../../upstreams/frames/request-meta.ts";
import { NAMED } from "../../upstreams/http/mirrored-headers.ts";
import type { Exchange } from "../exchange.ts";
import type { PolicyCheck } from "../pipeline.ts";

/** Older versions that are accepted from clients without a session. */
const OLDER_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26"];

// The gateway's capabilities that apply to a View's call. Nothing on the way can prompt the user.
const UI_CAPABILITIES = { extensions: GATEWAY_IDENTITY.capabilities.extensions };
// MCP reserves these prefixes.
const RESERVED = /^([\w-]+\.)*(modelcontextprotocol|mcp)[./]/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Checks `_meta`, or fills it in. */
export const metaCheck: PolicyCheck = {
  name: "envelope",
  run: (exchange) => {
    exchange.isModern = exchange.carrier === "websocket" || isModernHead(exchange);
    if (exchange.carrier === "http") {
      const refusal = exchange.isModern ? compare(exchange) : checkOlder(exchange);
      if (refusal) return refusal;
    }
    if (!isComplete(exchange)) complete(exchange);
    return undefined;
  },
};

/** Whether the headers announce a 2026-07-28 message. */
export function isModernHead(exchange: Pick<Exchange, "headers">): boolean {
  return headerOf(exchange, "mcp-protocol-version") === MODERN_VERSION;
}

function checkOlder(exchange: Exchange): Refusal | undefined {
  const version = headerOf(exchange, "mcp-protocol-version");
  if (version === undefined && Object(exchange.frame.params?._meta)[VERSION_KEY] !== undefined) {
    return refuse("header-mismatch", "The header mcp-protocol-version is missing.");
  }
  if (version === undefined || OLDER_VERSIONS.includes(version)) return undefined;
  // The version that `server/discover` reports. Clients of an older version start with a handshake and find
  // it there.
  const data = { supported: [MODERN_VERSION], requested: version.slice(0, 32) };
  const message = `The protocol version "${data.requested}" isn't supported. Use one of data.supported.`;
  return refuse("unsupported-version", message, { data });
}

/** Checks that headers and body match. */
function compare(exchange: Exchange): Refusal | undefined {
  const { method, params } = exchange.frame;
  const named = NAMED.get(method);
  const meta = Object(params?._meta);
  const pairs: [string, unknown][] = [
    ["mcp-method", method],
    ...(named ? [["mcp-name", params?.[named]] as [string, unknown]] : []),
    ["mcp-protocol-version", meta[VERSION_KEY]],
  ];
  // A notification doesn't have `_meta` with these members.
  if (exchange.frame.id === undefined) pairs.pop();
  else {
    const missing = [VERSION_KEY, CLIENT_CAPABILITIES_KEY].find((key) => meta[key] === undefined);
    if (missing) return refuse("envelope", `params._meta["${missing}"] is missing.`);
  }
  for (const [name, value] of pairs) {
    if (headerOf(exchange, name) !== value) {
      return refuse(
        "header-mismatch",
        `The header ${name} and the body don't match. Send the same value in both.`,
      );
    }
  }
  return undefined;
}

function isComplete({ caller, frame, isModern, carrier }: Exchange): boolean {
  if (frame.id === undefined) return true;
  return carrier === "http" && isModern && caller.party === "model";
}

/** Fills in the members of `_meta` for the caller. Other members stay. */
function complete(exchange: Exchange): void {
  const { frame, caller } = exchange;
  const given = Object.entries(Object(frame.params?._meta)).filter(
    ([key]) => caller.party === "model" || !RESERVED.test(key),
  );
  const isOlder = exchange.carrier === "http" && !exchange.isModern;
  const own = {
    // Since 2026-07-28, a server only logs to callers that request it. Before, it logged to everyone.
    ...(isOlder && { [LOG_LEVEL_KEY]: "info" }),
    [VERSION_KEY]: MODERN_VERSION,
    [CLIENT_INFO_KEY]: GATEWAY_IDENTITY.info,
    [CLIENT_CAPABILITIES_KEY]: caller.party === "view" ? UI_CAPABILITIES : {},
  };
  const _meta = { ...own, ...Object.fromEntries(given) };
  exchange.frame = { ...frame, params: { ...frame.params, _meta } };
}

/** Returns a header that occurs once, decoded if it was base64-wrapped to stay ASCII. */
export function headerOf({ headers }: Pick<Exchange, "headers">, name: string): string | undefined {
  const value = headers[name];
  if (typeof value !== "string") return undefined;
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (encoded === undefined) return value;
  // An invalid base64 value can't match the body.
  return BASE64.test(encoded) ? Buffer.from(encoded, "base64").toString("utf8") : undefined;
}
