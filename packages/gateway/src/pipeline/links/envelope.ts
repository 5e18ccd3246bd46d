// What a request of 2026-07-28 says of itself, in headers and in `_meta`. Headers that contradict the
// body are refused, because others route by them. Whoever speaks the older protocol without a session, or
// our own WebSocket, gets the envelope from here: a View's word about itself is never taken (GW-07).

import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  GATEWAY_IDENTITY,
  LOG_LEVEL_KEY,
  MODERN_VERSION,
  VERSION_KEY,
} from "../../upstreams/frames/envelope.ts";
import type { Exchange } from "../exchange.ts";
import type { Link } from "../pipeline.ts";
import { type Refusal, refuse } from "../refusal.ts";

/** What else is accepted, from clients that make no session of it. */
const OLDER_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26"];

// Of what the gateway can do, that which a View's call may lead to: nobody asks its user on the way.
const UI_CAPABILITIES = { extensions: GATEWAY_IDENTITY.capabilities.extensions };
// Spec: MCP keeps these prefixes for itself.
const RESERVED = /^([\w-]+\.)*(modelcontextprotocol|mcp)[./]/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const NAMED: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** Checks or completes the envelope. */
export const envelopeLink: Link = {
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

/** Whether the head says that the body is one of 2026-07-28. */
export function isModernHead(exchange: Pick<Exchange, "headers">): boolean {
  return headerOf(exchange, "mcp-protocol-version") === MODERN_VERSION;
}

function checkOlder(exchange: Exchange): Refusal | undefined {
  const version = headerOf(exchange, "mcp-protocol-version");
  if (version === undefined && Object(exchange.frame.params?._meta)[VERSION_KEY] !== undefined) {
    return refuse("header-mismatch", "The header mcp-protocol-version is missing.");
  }
  if (version === undefined || OLDER_VERSIONS.includes(version)) return undefined;
  // What `server/discover` says; whoever speaks an older one begins with a handshake and finds it there.
  const data = { supported: [MODERN_VERSION], requested: version.slice(0, 32) };
  const message = `The protocol version "${data.requested}" is unknown.`;
  return refuse("unsupported-version", message, { data });
}

/** The headers must say what the body says. */
function compare(exchange: Exchange): Refusal | undefined {
  const { method, params } = exchange.frame;
  const named = NAMED.get(method);
  const meta = Object(params?._meta);
  const pairs: [string, unknown][] = [
    ["mcp-method", method],
    ...(named ? [["mcp-name", params?.[named]] as [string, unknown]] : []),
    ["mcp-protocol-version", meta[VERSION_KEY]],
  ];
  // A notification has no envelope of its own.
  if (exchange.frame.id === undefined) pairs.pop();
  else {
    const missing = [VERSION_KEY, CLIENT_CAPABILITIES_KEY].find((key) => meta[key] === undefined);
    if (missing) return refuse("envelope", `params._meta["${missing}"] is missing.`);
  }
  for (const [name, value] of pairs) {
    if (headerOf(exchange, name) !== value) {
      return refuse("header-mismatch", `The header ${name} and the body say different things.`);
    }
  }
  return undefined;
}

function isComplete({ caller, frame, isModern, carrier }: Exchange): boolean {
  if (frame.id === undefined) return true;
  return carrier === "http" && isModern && caller.party === "model";
}

/** Writes the envelope in the caller's place; what else is in `_meta` stays. */
function complete(exchange: Exchange): void {
  const { frame, caller } = exchange;
  const given = Object.entries(Object(frame.params?._meta)).filter(
    ([key]) => caller.party === "model" || !RESERVED.test(key),
  );
  const isOlder = exchange.carrier === "http" && !exchange.isModern;
  const own = {
    // Since 2026-07-28 a server logs to whoever asks for it; before, to everybody.
    ...(isOlder && { [LOG_LEVEL_KEY]: "info" }),
    [VERSION_KEY]: MODERN_VERSION,
    [CLIENT_INFO_KEY]: GATEWAY_IDENTITY.info,
    [CLIENT_CAPABILITIES_KEY]: caller.party === "view" ? UI_CAPABILITIES : {},
  };
  const _meta = { ...own, ...Object.fromEntries(given) };
  exchange.frame = { ...frame, params: { ...frame.params, _meta } };
}

/** A header that occurs once, decoded where it was wrapped to be ASCII. */
export function headerOf({ headers }: Pick<Exchange, "headers">, name: string): string | undefined {
  const value = headers[name];
  if (typeof value !== "string") return undefined;
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (encoded === undefined) return value;
  // What is not base64 says nothing, and so nothing that could be what the body says.
  return BASE64.test(encoded) ? Buffer.from(encoded, "base64").toString("utf8") : undefined;
}
