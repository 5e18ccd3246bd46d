// Adding a name here makes it public.

// Names on the wire

export {
  EXTENSION_ID,
  LATEST_PROTOCOL_VERSION,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
  SANDBOX_METHOD_PREFIX,
  SANDBOX_PROXY_READY_METHOD,
  SANDBOX_RESOURCE_READY_METHOD,
  SUPPORTED_PROTOCOL_VERSIONS,
  UI_SCHEME,
} from "./constants.ts";
export { STATE_EXTENSION } from "./extensions.ts";
export {
  CALL_TOOL_METHOD,
  CREATE_MESSAGE_METHOD,
  DOWNLOAD_FILE_METHOD,
  HOST_CONTEXT_CHANGED_METHOD,
  INITIALIZE_METHOD,
  INITIALIZED_METHOD,
  LIST_PROMPTS_METHOD,
  LIST_RESOURCE_TEMPLATES_METHOD,
  LIST_RESOURCES_METHOD,
  LIST_TOOLS_METHOD,
  LOGGING_MESSAGE_METHOD,
  MESSAGE_METHOD,
  OPEN_LINK_METHOD,
  PING_METHOD,
  PROMPT_LIST_CHANGED_METHOD,
  READ_RESOURCE_METHOD,
  REQUEST_DISPLAY_MODE_METHOD,
  REQUEST_TEARDOWN_METHOD,
  RESOURCE_LIST_CHANGED_METHOD,
  RESOURCE_TEARDOWN_METHOD,
  SIZE_CHANGED_METHOD,
  TOOL_CANCELLED_METHOD,
  TOOL_INPUT_METHOD,
  TOOL_INPUT_PARTIAL_METHOD,
  TOOL_LIST_CHANGED_METHOD,
  TOOL_RESULT_METHOD,
  UPDATE_MODEL_CONTEXT_METHOD,
} from "./method-names.ts";

// Style variables

export { isStyleVariable, STYLE_VARIABLES } from "./style-variables.ts";

// Types of MCP Apps

export type { AppTypes } from "./app-types.ts";
export type {
  McpUiDownloadFileRequest,
  McpUiDownloadFileResult,
  McpUiHostContextChangedNotification,
  McpUiInitializedNotification,
  McpUiInitializeRequest,
  McpUiInitializeResult,
  McpUiMessageRequest,
  McpUiMessageResult,
  McpUiOpenLinkRequest,
  McpUiOpenLinkResult,
  McpUiRequestDisplayModeRequest,
  McpUiRequestDisplayModeResult,
  McpUiRequestTeardownNotification,
  McpUiResourceTeardownRequest,
  McpUiResourceTeardownResult,
  McpUiSandboxProxyReadyNotification,
  McpUiSandboxResourceReadyNotification,
  McpUiSizeChangedNotification,
  McpUiToolCancelledNotification,
  McpUiToolInputNotification,
  McpUiToolInputPartialNotification,
  McpUiToolResultNotification,
  McpUiUpdateModelContextRequest,
} from "./messages.ts";
export type {
  McpUiAppCapabilities,
  McpUiClientCapabilities,
  McpUiDisplayMode,
  McpUiHostCapabilities,
  McpUiHostContext,
  McpUiHostCss,
  McpUiHostStyles,
  McpUiResourceCsp,
  McpUiResourceMeta,
  McpUiResourcePermissions,
  McpUiStyles,
  McpUiStyleVariableKey,
  McpUiSupportedContentBlockModalities,
  McpUiTheme,
  McpUiToolMeta,
  McpUiToolVisibility,
} from "./types.ts";

// Types of core MCP

export type {
  CallToolRequest,
  CallToolResult,
  CancelledNotification,
  CreateMessageRequest,
  CreateMessageRequestParams,
  CreateMessageResult,
  CreateMessageResultWithTools,
  EmptyResult,
  ListPromptsRequest,
  ListPromptsResult,
  ListResourcesRequest,
  ListResourcesResult,
  ListResourceTemplatesRequest,
  ListResourceTemplatesResult,
  ListToolsRequest,
  ListToolsResult,
  LoggingMessageNotification,
  NotificationParams,
  PaginatedRequestParams,
  PaginatedResult,
  PingRequest,
  ProgressNotification,
  ProgressNotificationParams,
  PromptListChangedNotification,
  ReadResourceRequest,
  ReadResourceResult,
  ResourceListChangedNotification,
  TaskMetadata,
  ToolListChangedNotification,
} from "./mcp-messages.ts";
export type {
  Annotations,
  AudioContent,
  BaseMetadata,
  BlobResourceContents,
  ContentBlock,
  Cursor,
  EmbeddedResource,
  Icon,
  ImageContent,
  Implementation,
  JSONValue,
  LoggingLevel,
  MetaObject,
  ModelPreferences,
  ProgressToken,
  Prompt,
  RequestId,
  RequestMeta,
  Resource,
  ResourceLink,
  ResourceTemplate,
  ResultMeta,
  Role,
  SamplingContent,
  SamplingMessage,
  SamplingMessageContentBlock,
  TextContent,
  TextResourceContents,
  Tool,
  ToolAnnotations,
  ToolResultContent,
  ToolUseContent,
} from "./mcp-types.ts";

// The method table

export type {
  Call,
  HostNotifications,
  HostRequests,
  SandboxNotifications,
  ViewNotifications,
  ViewRequests,
} from "./method-types.ts";
export {
  findMethod,
  type Gate,
  METHODS,
  type MethodKind,
  type MethodRule,
  type MethodSource,
  type Party,
} from "./methods.ts";

// Reading untrusted messages

export { type CopyFailureCode, type CopyResult, copyJson, type JsonLimits } from "./json-copy.ts";
export { describeMismatch, type Mismatch } from "./mismatch.ts";
export {
  type ValidateOptions,
  type Validation,
  validateMeta,
  validateNotification,
  validateRequest,
  validateResult,
} from "./validate.ts";

// Policy: pure decisions, run in the Host and again in the gateway

export type { Decision, Refusal } from "./decision.ts";
export { downloadName } from "./download-name.ts";
export { type Box, clampSize, decideSize, LIMITS, type Limits, limitsFor } from "./limits.ts";
export { type AllowedLink, decideLink, type LinkOptions, type LinkRefusal } from "./links.ts";
export { isAppMimeType } from "./mime-type.ts";
export { decideMethod, type MethodRefusal, type MethodUse, type Session } from "./policy.ts";
export { isPrivateHost } from "./private-host.ts";
export { decideToolCall, type ToolCall, type ToolCallRefusal } from "./tool-call-policy.ts";
export {
  isVisibleTo,
  type ToolLike,
  type ToolResource,
  toolResourceUri,
  toolVisibility,
} from "./tool-policy.ts";
