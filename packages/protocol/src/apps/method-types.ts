/** Which params and result belong to which method, per sender, so that peers can be typed. */

import type {
  CallToolRequest,
  CallToolResult,
  CancelledNotification,
  CreateMessageRequest,
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
  PingRequest,
  ProgressNotification,
  PromptListChangedNotification,
  ReadResourceRequest,
  ReadResourceResult,
  ResourceListChangedNotification,
  ToolListChangedNotification,
} from "./mcp-messages.ts";
import type {
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

/** Params and result of one request. */
export interface Call<Params, Result> {
  params: Params;
  result: Result;
}

/** Requests a View may send to its Host. */
export interface ViewRequests {
  "ui/initialize": Call<McpUiInitializeRequest["params"], McpUiInitializeResult>;
  "ui/open-link": Call<McpUiOpenLinkRequest["params"], McpUiOpenLinkResult>;
  "ui/download-file": Call<McpUiDownloadFileRequest["params"], McpUiDownloadFileResult>;
  "ui/message": Call<McpUiMessageRequest["params"], McpUiMessageResult>;
  "ui/update-model-context": Call<McpUiUpdateModelContextRequest["params"], EmptyResult>;
  "ui/request-display-mode": Call<
    McpUiRequestDisplayModeRequest["params"],
    McpUiRequestDisplayModeResult
  >;
  "tools/call": Call<CallToolRequest["params"], CallToolResult>;
  "tools/list": Call<ListToolsRequest["params"], ListToolsResult>;
  "resources/read": Call<ReadResourceRequest["params"], ReadResourceResult>;
  "resources/list": Call<ListResourcesRequest["params"], ListResourcesResult>;
  "resources/templates/list": Call<
    ListResourceTemplatesRequest["params"],
    ListResourceTemplatesResult
  >;
  "prompts/list": Call<ListPromptsRequest["params"], ListPromptsResult>;
  "sampling/createMessage": Call<
    CreateMessageRequest["params"],
    CreateMessageResult | CreateMessageResultWithTools
  >;
  ping: Call<PingRequest["params"], EmptyResult>;
}

/** Notifications a View may send to its Host. */
export interface ViewNotifications {
  "ui/notifications/initialized": McpUiInitializedNotification["params"];
  "ui/notifications/size-changed": McpUiSizeChangedNotification["params"];
  "ui/notifications/request-teardown": McpUiRequestTeardownNotification["params"];
  "notifications/message": LoggingMessageNotification["params"];
  "notifications/tools/list_changed": ToolListChangedNotification["params"];
  "notifications/progress": ProgressNotification["params"];
  "notifications/cancelled": CancelledNotification["params"];
}

/** Requests a Host may send to its View. */
export interface HostRequests {
  // The prose names a reason, the published types do not: it may be sent and may be missing.
  "ui/resource-teardown": Call<{ reason?: string }, McpUiResourceTeardownResult>;
  "tools/call": Call<CallToolRequest["params"], CallToolResult>;
  "tools/list": Call<ListToolsRequest["params"], ListToolsResult>;
  ping: Call<PingRequest["params"], EmptyResult>;
}

/** Notifications a Host may send to its View. */
export interface HostNotifications {
  "ui/notifications/tool-input-partial": McpUiToolInputPartialNotification["params"];
  "ui/notifications/tool-input": McpUiToolInputNotification["params"];
  "ui/notifications/tool-result": McpUiToolResultNotification["params"];
  "ui/notifications/tool-cancelled": McpUiToolCancelledNotification["params"];
  "ui/notifications/host-context-changed": McpUiHostContextChangedNotification["params"];
  "notifications/tools/list_changed": ToolListChangedNotification["params"];
  "notifications/resources/list_changed": ResourceListChangedNotification["params"];
  "notifications/prompts/list_changed": PromptListChangedNotification["params"];
  "notifications/progress": ProgressNotification["params"];
  "notifications/cancelled": CancelledNotification["params"];
}

/** Notifications between a Sandbox and its Host, in either direction. */
export interface SandboxNotifications {
  "ui/notifications/sandbox-proxy-ready": McpUiSandboxProxyReadyNotification["params"];
  "ui/notifications/sandbox-resource-ready": McpUiSandboxResourceReadyNotification["params"];
}
