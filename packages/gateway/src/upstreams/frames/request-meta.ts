// `_meta` of a 2026-07-28 request, which replaces the handshake.

import type { CallerMessage, RequestMessage } from "../../json-rpc/message.ts";

/** The version in which every request stands alone. */
export const MODERN_VERSION = "2026-07-28";
/** The newest version with a handshake. */
export const LEGACY_VERSION = "2025-11-25";

const PREFIX = "io.modelcontextprotocol/";
export const VERSION_KEY: string = `${PREFIX}protocolVersion`;
export const CLIENT_INFO_KEY: string = `${PREFIX}clientInfo`;
export const CLIENT_CAPABILITIES_KEY: string = `${PREFIX}clientCapabilities`;
export const LOG_LEVEL_KEY: string = `${PREFIX}logLevel`;
export const SERVER_INFO_KEY: string = `${PREFIX}serverInfo`;
export const SUBSCRIPTION_ID_KEY: string = `${PREFIX}subscriptionId`;

/** The identity that the gateway reports to servers. */
interface ClientIdentity {
  info: { name: string; version: string };
  capabilities: Record<string, unknown>;
}

/** The gateway can show Views and prompt its users. */
export const GATEWAY_IDENTITY: ClientIdentity = {
  info: { name: "vitrine-gateway", version: "0.1.0" },
  capabilities: {
    elicitation: { form: {} },
    extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
  },
};

/** For the gateway's own requests, which can't prompt a user. */
export const QUIET_IDENTITY: ClientIdentity = { info: GATEWAY_IDENTITY.info, capabilities: {} };

/** `_meta` of a request, if it is an object. */
export function metaOf(params: unknown): Record<string, unknown> | undefined {
  const meta = (params as { _meta?: unknown } | undefined)?._meta;
  return typeof meta === "object" && meta !== null && !Array.isArray(meta)
    ? (meta as Record<string, unknown>)
    : undefined;
}

/** The version that a request claims. Undefined for a request of an older client. */
export function claimedVersion(params: unknown): string | undefined {
  const version = metaOf(params)?.[VERSION_KEY];
  return typeof version === "string" ? version : undefined;
}

/** The message with `_meta`: its own, or the gateway's if an older client sent none. */
export function enveloped<Message extends CallerMessage>(message: Message): Message {
  if (claimedVersion(message.params) !== undefined) return message;
  return withMeta(message, { ...envelopeOf(GATEWAY_IDENTITY), ...metaOf(message.params) });
}

/**
 * A request under a new id, for a connection that several callers share: their ids and progress tokens would
 * collide. `without` lists members of `_meta` to leave out.
 */
export function renumbered(
  message: CallerMessage,
  id: number,
  { without = [] }: { without?: readonly string[] } = {},
): RequestMessage {
  const meta = metaOf(message.params);
  if (!meta) return { ...message, id };
  const kept = Object.entries(meta).filter(([key]) => !without.includes(key));
  const own = Object.fromEntries(kept);
  if (Object.hasOwn(own, "progressToken")) own.progressToken = id;
  return { ...withMeta(message, own), id };
}

/** A request from the gateway itself. */
export function ownRequest(
  id: string | number,
  method: string,
  params: Record<string, unknown> = {},
  identity: ClientIdentity = GATEWAY_IDENTITY,
): RequestMessage {
  const _meta = envelopeOf(identity);
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta } };
}

function envelopeOf({ info, capabilities }: ClientIdentity): Record<string, unknown> {
  return {
    [VERSION_KEY]: MODERN_VERSION,
    [CLIENT_INFO_KEY]: info,
    [CLIENT_CAPABILITIES_KEY]: capabilities,
  };
}

function withMeta<Message extends CallerMessage>(
  message: Message,
  _meta: Record<string, unknown>,
): Message {
  return { ...message, params: { ...message.params, _meta } };
}
