// The public surface of the View SDK. Adding a name here makes it public; `test/exports.test.ts`
// pins the list. Types and constants are the protocol's, under their official names.

export { LocalError, type RequestOptions, RpcError } from "@vitrine/protocol";
export {
  type AppTypes,
  type CallToolRequest,
  type CallToolResult,
  type ContentBlock,
  DOWNLOAD_FILE_METHOD,
  HOST_CONTEXT_CHANGED_METHOD,
  type Implementation,
  INITIALIZE_METHOD,
  INITIALIZED_METHOD,
  LATEST_PROTOCOL_VERSION,
  type McpUiAppCapabilities,
  type McpUiClientCapabilities,
  type McpUiDisplayMode,
  type McpUiDownloadFileRequest,
  type McpUiDownloadFileResult,
  type McpUiHostCapabilities,
  type McpUiHostContext,
  type McpUiHostContextChangedNotification,
  type McpUiHostCss,
  type McpUiHostStyles,
  type McpUiInitializedNotification,
  type McpUiInitializeRequest,
  type McpUiInitializeResult,
  type McpUiMessageRequest,
  type McpUiMessageResult,
  type McpUiOpenLinkRequest,
  type McpUiOpenLinkResult,
  type McpUiRequestDisplayModeRequest,
  type McpUiRequestDisplayModeResult,
  type McpUiRequestTeardownNotification,
  type McpUiResourceCsp,
  type McpUiResourceMeta,
  type McpUiResourcePermissions,
  type McpUiResourceTeardownRequest,
  type McpUiResourceTeardownResult,
  type McpUiSandboxProxyReadyNotification,
  type McpUiSandboxResourceReadyNotification,
  type McpUiSizeChangedNotification,
  type McpUiStyles,
  type McpUiStyleVariableKey,
  type McpUiSupportedContentBlockModalities,
  type McpUiTheme,
  type McpUiToolCancelledNotification,
  type McpUiToolInputNotification,
  type McpUiToolInputPartialNotification,
  type McpUiToolMeta,
  type McpUiToolResultNotification,
  type McpUiToolVisibility,
  type McpUiUpdateModelContextRequest,
  MESSAGE_METHOD,
  OPEN_LINK_METHOD,
  REQUEST_DISPLAY_MODE_METHOD,
  REQUEST_TEARDOWN_METHOD,
  RESOURCE_MIME_TYPE,
  RESOURCE_TEARDOWN_METHOD,
  RESOURCE_URI_META_KEY,
  SANDBOX_PROXY_READY_METHOD,
  SANDBOX_RESOURCE_READY_METHOD,
  SIZE_CHANGED_METHOD,
  TOOL_CANCELLED_METHOD,
  TOOL_INPUT_METHOD,
  TOOL_INPUT_PARTIAL_METHOD,
  TOOL_RESULT_METHOD,
} from "@vitrine/protocol/apps";
export { App, type AppOptions } from "./app.ts";
export type { AppEventMap } from "./app-events.ts";
export { applyContainerDimensions } from "./container.ts";
export type { ViewErrorCode } from "./errors.ts";
export type { AnyMessage, RequestHandlerExtra } from "./handlers.ts";
export { grantedPermissions } from "./permissions.ts";
export type { InferOutput, StandardSchemaV1 } from "./standard-schema.ts";
export type { ViewState } from "./state.ts";
export {
  applyDocumentLocale,
  applyDocumentTheme,
  applyHostFonts,
  applyHostStyleVariables,
  directionOf,
  getDocumentTheme,
} from "./styles.ts";
export type {
  AppToolCallback,
  AppToolConfig,
  AppToolResult,
  RegisteredAppTool,
} from "./tools.ts";
export { PostMessageTransport } from "./transport.ts";
export type { ToolResultOf } from "./typed-app.ts";
