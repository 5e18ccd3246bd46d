// What a request of 2026-07-28 says about itself, since there is no handshake that could have said it.

import type { UpstreamCall } from "../upstream.ts";
import { editObject } from "./json-text.ts";

/** The era in which every request stands alone. */
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

/** Who the gateway says it is. */
export interface ClientIdentity {
  info: { name: string; version: string };
  capabilities: Record<string, unknown>;
}

/** The gateway shows Views and can ask its users. */
export const GATEWAY_IDENTITY: ClientIdentity = {
  info: { name: "vitrine-gateway", version: "0.1.0" },
  capabilities: {
    elicitation: { form: {} },
    extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
  },
};

/** For questions of its own that need nobody: what it lists and reads for itself. */
export const QUIET_IDENTITY: ClientIdentity = { info: GATEWAY_IDENTITY.info, capabilities: {} };

/** `_meta` of a request, if it is an object. */
export function metaOf(params: unknown): Record<string, unknown> | undefined {
  const meta = (params as { _meta?: unknown } | undefined)?._meta;
  return typeof meta === "object" && meta !== null && !Array.isArray(meta)
    ? (meta as Record<string, unknown>)
    : undefined;
}

/** The version a request claims; undefined for one of a client from before. */
export function claimedVersion(params: unknown): string | undefined {
  const version = metaOf(params)?.[VERSION_KEY];
  return typeof version === "string" ? version : undefined;
}

/** The request's text with an envelope: its own, or the gateway's where a client from before sent none. */
export function enveloped(
  { text, params }: Pick<UpstreamCall, "text" | "params">,
  identity: ClientIdentity,
): string {
  if (claimedVersion(params) !== undefined) return text;
  const meta = metaOf(params);
  const fill = {
    [VERSION_KEY]: JSON.stringify(MODERN_VERSION),
    ...(meta?.[CLIENT_INFO_KEY] === undefined && {
      [CLIENT_INFO_KEY]: JSON.stringify(identity.info),
    }),
    ...(meta?.[CLIENT_CAPABILITIES_KEY] === undefined && {
      [CLIENT_CAPABILITIES_KEY]: JSON.stringify(identity.capabilities),
    }),
  };
  return editObject(text, {
    params: (raw = "{}") => editObject(raw, { _meta: (raw = "{}") => editObject(raw, fill) }),
  });
}

/** A request of the gateway's own. */
export function ownRequest(
  id: string | number,
  method: string,
  identity: ClientIdentity,
  params: Record<string, unknown> = {},
): Pick<UpstreamCall, "id" | "method" | "text"> & { params: Record<string, unknown> } {
  const _meta = {
    [VERSION_KEY]: MODERN_VERSION,
    [CLIENT_INFO_KEY]: identity.info,
    [CLIENT_CAPABILITIES_KEY]: identity.capabilities,
  };
  const full = { ...params, _meta };
  return {
    id,
    method,
    params: full,
    text: JSON.stringify({ jsonrpc: "2.0", id, method, params: full }),
  };
}
