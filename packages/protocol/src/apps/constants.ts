/** MIME type of a UI resource. */
export const RESOURCE_MIME_TYPE = "text/html;profile=mcp-app";
/** Deprecated flat `_meta` key for a tool's UI resource; some Hosts still read nothing else. */
export const RESOURCE_URI_META_KEY = "ui/resourceUri";
/** Key of this extension in MCP `capabilities.extensions`. */
export const EXTENSION_ID = "io.modelcontextprotocol/ui";
/** What every UI resource URI starts with. */
export const UI_SCHEME = "ui://";
/** The newest View ⇄ Host protocol; independent of the core MCP version. */
export const LATEST_PROTOCOL_VERSION = "2026-01-26";
/** Every View ⇄ Host protocol we speak, newest first. */
export const SUPPORTED_PROTOCOL_VERSIONS: readonly string[] = [LATEST_PROTOCOL_VERSION];
/** Reserved for Sandbox ⇄ Host; never relayed and never accepted from a View. */
export const SANDBOX_METHOD_PREFIX = "ui/notifications/sandbox-";

// Method names, each its own constant so that a bundle keeps only those it uses.

/** View → Host request. */
export const INITIALIZE_METHOD = "ui/initialize";
/** View → Host notification. */
export const INITIALIZED_METHOD = "ui/notifications/initialized";
/** View → Host request. */
export const OPEN_LINK_METHOD = "ui/open-link";
/** View → Host request. */
export const DOWNLOAD_FILE_METHOD = "ui/download-file";
/** View → Host request. */
export const MESSAGE_METHOD = "ui/message";
/** View → Host request. */
export const UPDATE_MODEL_CONTEXT_METHOD = "ui/update-model-context";
/** View → Host request. */
export const REQUEST_DISPLAY_MODE_METHOD = "ui/request-display-mode";
/** View → Host notification. */
export const SIZE_CHANGED_METHOD = "ui/notifications/size-changed";
/** View → Host notification. */
export const REQUEST_TEARDOWN_METHOD = "ui/notifications/request-teardown";

/** Host → View notification. */
export const TOOL_INPUT_METHOD = "ui/notifications/tool-input";
/** Host → View notification. */
export const TOOL_INPUT_PARTIAL_METHOD = "ui/notifications/tool-input-partial";
/** Host → View notification. */
export const TOOL_RESULT_METHOD = "ui/notifications/tool-result";
/** Host → View notification. */
export const TOOL_CANCELLED_METHOD = "ui/notifications/tool-cancelled";
/** Host → View notification. */
export const HOST_CONTEXT_CHANGED_METHOD = "ui/notifications/host-context-changed";
/** Host → View request. */
export const RESOURCE_TEARDOWN_METHOD = "ui/resource-teardown";

/** Sandbox → Host notification. */
export const SANDBOX_PROXY_READY_METHOD = "ui/notifications/sandbox-proxy-ready";
/** Host → Sandbox notification. */
export const SANDBOX_RESOURCE_READY_METHOD = "ui/notifications/sandbox-resource-ready";

/** Core MCP, both directions. */
export const CALL_TOOL_METHOD = "tools/call";
/** Core MCP, both directions. */
export const LIST_TOOLS_METHOD = "tools/list";
/** Core MCP, View → Host. */
export const READ_RESOURCE_METHOD = "resources/read";
/** Core MCP, View → Host. */
export const LIST_RESOURCES_METHOD = "resources/list";
/** Core MCP, View → Host. */
export const LIST_RESOURCE_TEMPLATES_METHOD = "resources/templates/list";
/** Core MCP, View → Host. */
export const LIST_PROMPTS_METHOD = "prompts/list";
/** Core MCP, View → Host. */
export const CREATE_MESSAGE_METHOD = "sampling/createMessage";
/** Core MCP, View → Host. */
export const LOGGING_MESSAGE_METHOD = "notifications/message";
/** Core MCP, both directions. */
export const TOOL_LIST_CHANGED_METHOD = "notifications/tools/list_changed";
/** Core MCP, Host → View. */
export const RESOURCE_LIST_CHANGED_METHOD = "notifications/resources/list_changed";
/** Core MCP, Host → View. */
export const PROMPT_LIST_CHANGED_METHOD = "notifications/prompts/list_changed";
/** Core MCP, both directions, at any time. */
export const PING_METHOD = "ping";
