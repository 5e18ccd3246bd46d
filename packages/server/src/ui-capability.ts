// Whether the client of a call shows Views. In 2026-07-28 every request declares it; before, the
// handshake did, and a server without sessions has forgotten it by the time of the call.

import { EXTENSION_ID, isAppMimeType, type McpUiClientCapabilities } from "@vitrine/protocol/apps";
import { isRecord } from "./json-schema.ts";
import { innerServer } from "./mcp-server.ts";

const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";

/** What a client said of this extension in its capabilities; `undefined` if nothing. */
export function getUiCapability(
  clientCapabilities: { extensions?: object | undefined } | null | undefined,
): McpUiClientCapabilities | undefined {
  const extensions = clientCapabilities?.extensions;
  if (!isRecord(extensions) || !Object.hasOwn(extensions, EXTENSION_ID)) return undefined;
  const settings = extensions[EXTENSION_ID];
  return isRecord(settings) ? (settings as McpUiClientCapabilities) : undefined;
}

// Which server a call came through: neither SDK puts it into the context.
const servers = new WeakMap<object, object>();

/** Remembers the server of a call's context. */
export function noteCall(context: unknown, server: object): void {
  if (typeof context === "object" && context !== null) servers.set(context, server);
}

/**
 * Whether the client of this call shows Views: what it said of them, `null` if it said that it does
 * not, `undefined` if nobody can know, which is so on HTTP without sessions before 2026-07-28. A tool
 * is always listed (SRV-14: lists must not vary); this is for what a single result holds.
 * `context` is what the SDK hands to a callback that was registered with this package.
 */
export function uiCapability(
  context: unknown,
  server?: object,
): McpUiClientCapabilities | null | undefined {
  const said = capabilitiesOf(context, server);
  if (!isRecord(said)) return undefined;
  const capability = getUiCapability(said);
  const types = capability?.mimeTypes;
  // Early hosts named no types; one that names others cannot show ours.
  const fits = capability && (!Array.isArray(types) || types.some(isAppMimeType));
  return fits ? capability : null;
}

function capabilitiesOf(context: unknown, server: object | undefined): unknown {
  const { mcpReq } = (context ?? {}) as { mcpReq?: { envelope?: Record<string, unknown> } };
  const envelope = mcpReq?.envelope;
  if (envelope && CAPABILITIES_KEY in envelope) return envelope[CAPABILITIES_KEY];
  const known = server ?? (isRecord(context) ? servers.get(context) : undefined);
  return known && innerServer(known)?.getClientCapabilities?.();
}
