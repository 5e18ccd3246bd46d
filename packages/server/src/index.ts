// Adding a name here makes it public.

// The official helpers

export {
  type AppResourceOptions,
  type AppToolCallback,
  type AppToolOptions,
  type AppToolResult,
  EXTENSION_ID,
  getUiCapability,
  type McpUiAppResourceConfig,
  type McpUiAppToolConfig,
  type McpUiReadResourceCallback,
  type McpUiReadResourceResult,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
  type ReadResourceCallback,
  type RegistrationOptions,
  type ResourceMetadata,
  registerAppResource,
  registerAppTool,
  type ToolCallback,
  type ToolConfig,
} from "./registration.ts";

// App definitions

export { type AppCall, type AppTool, appTool, type HandlerResult } from "./app-tool.ts";
export type { Auth, AuthClaims } from "./auth/auth.ts";
export type { CacheHint } from "./cache-hint.ts";
export { type AppConfig, type AppDefinition, type AppOf, defineApp } from "./define-app.ts";
export type { ViewSource } from "./view-source.ts";
export {
  type MemoryVersionsOptions,
  memoryVersions,
  type StoredView,
  type ViewVersions,
} from "./view-versions.ts";

// Calls and start-up

export type { ClientInfo, DomainByClient, HostDomains } from "./client-domain.ts";
export { claudeDomain } from "./content-hash.ts";
export type { ServerErrorCode } from "./error-messages.ts";
export type { ServerError } from "./errors.ts";
export type { AppServer, ContextOf } from "./mcp-server.ts";
export { checkApps } from "./start-check.ts";
export { type TextFallbackOptions, textFallback } from "./text-fallback.ts";
export type { AppResult } from "./tool-result.ts";
export { uiCapability } from "./ui-capability.ts";
export {
  createUploads,
  type UploadedFile,
  type UploadPart,
  type Uploads,
  type UploadsOptions,
} from "./uploads.ts";
export type { ServerWarning, ServerWarningCode, Warn } from "./warnings.ts";
