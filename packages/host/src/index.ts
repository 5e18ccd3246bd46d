// Adding a name here makes it public.

export {
  type AppTool,
  type AppToolEvent,
  type AppTools,
  type AppToolsOptions,
  createAppTools,
} from "./app-tools.ts";
export { AppBridge } from "./bridge.ts";
export type { AppBridgeEventMap } from "./bridge-names.ts";
export type { AppBridgeOptions, BridgeDiagnostic, BridgeErrorCode } from "./bridge-options.ts";
export type {
  AskingView,
  Consent,
  ConsentAnswer,
  ConsentRequest,
  ConsentSubject,
} from "./consent.ts";
export {
  type ConsentMemory,
  type ConsentOptions,
  type ConsentVerdict,
  createConsent,
} from "./consent-memory.ts";
export type { Diagnostic, DiagnosticCode, Stage } from "./diagnostic.ts";
export { type Egress, probeEgress } from "./egress.ts";
export { appsExtension } from "./extension.ts";
export type { RegisteredViewLike, SandboxAddress, ViewToRegister } from "./frame.ts";
export { type AppRequest, createHost, type Host, type HostOptions } from "./host.ts";
export type { HostedView, ToolData } from "./hosted-view.ts";
export {
  createModelContext,
  type ModelContext,
  type ModelContextEntry,
  type ModelContextLimits,
} from "./model-context.ts";
export { readPartialJson } from "./partial-json.ts";
export type { StageTimes } from "./stage-clock.ts";
export type { SurfaceLabels } from "./surface.ts";
export { createTheme, defaultTheme, type Palette, themeContext } from "./theme.ts";
export { catalogueOf, type ToolCatalogue } from "./tool-catalogue.ts";
export { readUiResource, type UiResource } from "./ui-resource.ts";
export type {
  ListName,
  Upstream,
  UpstreamCapabilities,
  UpstreamMethod,
  UpstreamRequestOptions,
} from "./upstream.ts";
export { callbacksUpstream, type UpstreamCallbacks } from "./upstreams/callbacks.ts";
export { type McpClientLike, mcpClientUpstream } from "./upstreams/mcp-client.ts";
export type { ViewChannel } from "./view-channel.ts";
export { memoryStore, type RecordStore, type ViewRecord, webStore } from "./view-record.ts";
