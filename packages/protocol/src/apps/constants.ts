/** MIME type of a UI resource. */
export const RESOURCE_MIME_TYPE = "text/html;profile=mcp-app";
/** Deprecated flat `_meta` key for a tool's UI resource; some Hosts read only this one. */
export const RESOURCE_URI_META_KEY = "ui/resourceUri";
/** Key of this extension in MCP `capabilities.extensions`. */
export const EXTENSION_ID = "io.modelcontextprotocol/ui";
/** What every UI resource URI starts with. */
export const UI_SCHEME = "ui://";
/** The newest View ⇄ Host protocol; independent of the core MCP version. */
export const LATEST_PROTOCOL_VERSION = "2026-01-26";
/** Every View ⇄ Host protocol version we support, newest first. */
export const SUPPORTED_PROTOCOL_VERSIONS: readonly string[] = [LATEST_PROTOCOL_VERSION];
/** Reserved for Sandbox ⇄ Host; never relayed, and rejected from a View. */
export const SANDBOX_METHOD_PREFIX = "ui/notifications/sandbox-";
/** Sandbox → Host notification. */
export const SANDBOX_PROXY_READY_METHOD = "ui/notifications/sandbox-proxy-ready";
/** Host → Sandbox notification. */
export const SANDBOX_RESOURCE_READY_METHOD = "ui/notifications/sandbox-resource-ready";
