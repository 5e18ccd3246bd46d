/** The MCP Apps requests, results and notifications, with the official names. */

import type { CallToolResult } from "./mcp-messages.ts";
import type { ContentBlock, EmbeddedResource, Implementation, ResourceLink } from "./mcp-types.ts";
import type {
  McpUiAppCapabilities,
  McpUiDisplayMode,
  McpUiHostCapabilities,
  McpUiHostContext,
  McpUiResourceCsp,
  McpUiResourcePermissions,
} from "./types.ts";

// View → Host

/** Opens the session; the first message of every View. */
export interface McpUiInitializeRequest {
  method: "ui/initialize";
  params: {
    appInfo: Implementation;
    appCapabilities: McpUiAppCapabilities;
    protocolVersion: string;
  };
}

/** The Host's side of the handshake; official Views need all four fields. */
export interface McpUiInitializeResult {
  [key: string]: unknown;
  protocolVersion: string;
  hostInfo: Implementation;
  hostCapabilities: McpUiHostCapabilities;
  hostContext: McpUiHostContext;
}

/** Ends the handshake; the Host sends nothing until it arrives. */
export interface McpUiInitializedNotification {
  method: "ui/notifications/initialized";
  params?: {};
}

/** Asks the Host to open a URL. */
export interface McpUiOpenLinkRequest {
  method: "ui/open-link";
  params: { url: string };
}

/** Whether the URL was refused. */
export interface McpUiOpenLinkResult {
  [key: string]: unknown;
  isError?: boolean;
}

/** Asks the Host to save files. */
export interface McpUiDownloadFileRequest {
  method: "ui/download-file";
  params: { contents: (EmbeddedResource | ResourceLink)[] };
}

/** Whether the download was refused or failed. */
export interface McpUiDownloadFileResult {
  [key: string]: unknown;
  isError?: boolean;
}

/** Adds a message to the conversation. */
export interface McpUiMessageRequest {
  method: "ui/message";
  params: { role: "user"; content: ContentBlock[] };
}

/** Whether the message was refused. */
export interface McpUiMessageResult {
  [key: string]: unknown;
  isError?: boolean;
}

/** Replaces this View's model context for later turns; empty clears it. */
export interface McpUiUpdateModelContextRequest {
  method: "ui/update-model-context";
  params: { content?: ContentBlock[]; structuredContent?: Record<string, unknown> };
}

/** Asks for another display mode. */
export interface McpUiRequestDisplayModeRequest {
  method: "ui/request-display-mode";
  params: { mode: McpUiDisplayMode };
}

/** The mode now in force, which need not be the one asked for. */
export interface McpUiRequestDisplayModeResult {
  [key: string]: unknown;
  mode: McpUiDisplayMode;
}

/** The View's content has another size. */
export interface McpUiSizeChangedNotification {
  method: "ui/notifications/size-changed";
  params: { width?: number; height?: number };
}

/** The View asks to be closed. */
export interface McpUiRequestTeardownNotification {
  method: "ui/notifications/request-teardown";
  params?: {};
}

// Host → View

/** The complete arguments of the call that opened the View. */
export interface McpUiToolInputNotification {
  method: "ui/notifications/tool-input";
  params: { arguments?: Record<string, unknown> };
}

/** The arguments so far, completed to valid JSON while the model is still writing them. */
export interface McpUiToolInputPartialNotification {
  method: "ui/notifications/tool-input-partial";
  params: { arguments?: Record<string, unknown> };
}

/** The result of the call that opened the View. */
export interface McpUiToolResultNotification {
  method: "ui/notifications/tool-result";
  params: CallToolResult;
}

/** The call ended without a result. */
export interface McpUiToolCancelledNotification {
  method: "ui/notifications/tool-cancelled";
  params: { reason?: string };
}

/** The fields of the host context that changed. */
export interface McpUiHostContextChangedNotification {
  method: "ui/notifications/host-context-changed";
  params: McpUiHostContext;
}

/** The frame is about to be removed; the Host waits for the response. */
export interface McpUiResourceTeardownRequest {
  method: "ui/resource-teardown";
  params: {};
}

/** The View is ready to be removed. */
export interface McpUiResourceTeardownResult {
  [key: string]: unknown;
}

// Sandbox ⇄ Host

/** The Sandbox is ready for a resource. */
export interface McpUiSandboxProxyReadyNotification {
  method: "ui/notifications/sandbox-proxy-ready";
  params: {};
}

/** The resource for the Sandbox to load. */
export interface McpUiSandboxResourceReadyNotification {
  method: "ui/notifications/sandbox-resource-ready";
  params: {
    html: string;
    /** Overrides the inner frame's `sandbox` attribute. */
    sandbox?: string;
    csp?: McpUiResourceCsp;
    permissions?: McpUiResourcePermissions;
  };
}
