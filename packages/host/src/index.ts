// Adding a name here makes it public.

export { AppBridge } from "./bridge/bridge.ts";
export type { AppBridgeEventMap } from "./bridge/bridge-names.ts";
export type {
  AppBridgeOptions,
  BridgeDiagnostic,
  BridgeErrorCode,
} from "./bridge/bridge-options.ts";
export type { GestureOptions, GestureSubject } from "./bridge/gesture-options.ts";
export { PostMessageTransport } from "./bridge/post-message-transport.ts";
export type { ViewChannel } from "./bridge/view-channel.ts";
export type { ConsentMemory } from "./consent/answers.ts";
export type {
  AskingView,
  Consent,
  ConsentAnswer,
  ConsentRequest,
  ConsentScope,
  ConsentSubject,
  ViewOwner,
} from "./consent/consent.ts";
export {
  type ConsentOptions,
  type ConsentVerdict,
  createConsent,
  type HostConsentOptions,
} from "./consent/consent-memory.ts";
export type { Permission, Permissions } from "./consent/permission.ts";
export type { Conversation } from "./conversation/conversation.ts";
export type { ConversationRecords } from "./conversation/stored-records.ts";
export type { Diagnostic, DiagnosticCode, Stage } from "./diagnostic.ts";
export { probeEgress } from "./frame/egress.ts";
export type { Egress } from "./frame/egress-probe.ts";
export type {
  FrameIdentity,
  RegisteredViewLike,
  SandboxAddress,
  ViewToRegister,
} from "./frame/sandbox-address.ts";
export { createHost, type Host } from "./host.ts";
export type { HostEvent, HostEventDetail } from "./host-event.ts";
export type { HostMethod, HostMethods } from "./host-method.ts";
export type { HostOptions } from "./host-options.ts";
export type { AppRequest, HostedView, ToolData } from "./hosted-view.ts";
export type {
  BarMessages,
  CardMessages,
  ConsentMessages,
  FailureKind,
  MessageOverrides,
  Messages,
} from "./messages/messages.ts";
export {
  createModelContext,
  type ModelContext,
  type ModelContextEntry,
  type ModelContextLimits,
} from "./model/model-context.ts";
export { readPartialJson } from "./model/partial-json.ts";
export type { DescribeServer, ServerDisplay } from "./plain-name.ts";
export { catalogueOf, type ToolCatalogue } from "./resources/tool-catalogue.ts";
export { getToolUiResourceUri } from "./resources/tool-resource-uri.ts";
export { readUiResource, type UiResource } from "./resources/ui-resource.ts";
export type { StageTimes } from "./stage-clock.ts";
export type { Region, SurfaceRegions } from "./surface/regions.ts";
export { createTheme, defaultTheme, type Palette, themeContext } from "./theme.ts";
export { callbacksUpstream, type UpstreamCallbacks } from "./upstreams/callbacks.ts";
export { appsExtension } from "./upstreams/extension.ts";
export { mcpClientUpstream } from "./upstreams/mcp-client.ts";
export type { McpClientLike } from "./upstreams/official-client.ts";
export type {
  ListName,
  SandboxCredential,
  Upstream,
  UpstreamCapabilities,
  UpstreamMethod,
  UpstreamRequestOptions,
} from "./upstreams/upstream.ts";
export {
  memoryStore,
  type RecordStore,
  storeKeyOf,
  type ViewRecord,
  type WebStore,
  webStore,
} from "./view-record.ts";
export type { AppTool } from "./view-tools/app-tool.ts";
export {
  type AppToolEvent,
  type AppTools,
  type AppToolsOptions,
  createAppTools,
} from "./view-tools/app-tools.ts";
