// Adding a name here makes it public.

export { AppBridge } from "./bridge/bridge.ts";
export type { AppBridgeEventMap } from "./bridge/bridge-names.ts";
export type {
  AppBridgeOptions,
  BridgeDiagnostic,
  BridgeErrorCode,
} from "./bridge/bridge-options.ts";
export type { ViewChannel } from "./bridge/view-channel.ts";
export type {
  AskingView,
  Consent,
  ConsentAnswer,
  ConsentRequest,
  ConsentSubject,
} from "./consent/consent.ts";
export {
  type ConsentMemory,
  type ConsentOptions,
  type ConsentVerdict,
  createConsent,
} from "./consent/consent-memory.ts";
export type { Diagnostic, DiagnosticCode, Stage } from "./diagnostic.ts";
export { type Egress, probeEgress } from "./frame/egress.ts";
export type { RegisteredViewLike, SandboxAddress, ViewToRegister } from "./frame/frame.ts";
export { type AppRequest, createHost, type Host, type HostOptions } from "./host.ts";
export type { HostedView, ToolData } from "./hosted-view.ts";
export {
  createModelContext,
  type ModelContext,
  type ModelContextEntry,
  type ModelContextLimits,
} from "./model/model-context.ts";
export { readPartialJson } from "./model/partial-json.ts";
export { catalogueOf, type ToolCatalogue } from "./resources/tool-catalogue.ts";
export { readUiResource, type UiResource } from "./resources/ui-resource.ts";
export type { StageTimes } from "./stage-clock.ts";
export type { SurfaceLabels } from "./surface/surface.ts";
export { createTheme, defaultTheme, type Palette, themeContext } from "./theme.ts";
export { callbacksUpstream, type UpstreamCallbacks } from "./upstreams/callbacks.ts";
export { appsExtension } from "./upstreams/extension.ts";
export { type McpClientLike, mcpClientUpstream } from "./upstreams/mcp-client.ts";
export type {
  ListName,
  Upstream,
  UpstreamCapabilities,
  UpstreamMethod,
  UpstreamRequestOptions,
} from "./upstreams/upstream.ts";
export { memoryStore, type RecordStore, type ViewRecord, webStore } from "./view-record.ts";
export {
  type AppTool,
  type AppToolEvent,
  type AppTools,
  type AppToolsOptions,
  createAppTools,
} from "./view-tools/app-tools.ts";
