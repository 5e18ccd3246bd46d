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
