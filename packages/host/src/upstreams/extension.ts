import { EXTENSION_ID, RESOURCE_MIME_TYPE } from "@vitrine/protocol/apps/discovery";

/** Client capabilities that announce MCP Apps. */
export type AppsCapabilities = {
  extensions: { [EXTENSION_ID]: { mimeTypes: string[] } };
};

/**
 * Capabilities that a host sends to its servers, so that they offer views (HST-01): `new Client(info,
 * { capabilities: appsExtension() })`. Both generations of the official client send it where the
 * server's protocol version expects it: in `initialize`, or with every request. Other capabilities
 * and extensions are kept.
 */
export function appsExtension<C extends object = {}>(capabilities?: C): C & AppsCapabilities {
  const { extensions } = (capabilities ?? {}) as { extensions?: object };
  const ui = { mimeTypes: [RESOURCE_MIME_TYPE] };
  return { ...(capabilities as C), extensions: { ...extensions, [EXTENSION_ID]: ui } };
}
