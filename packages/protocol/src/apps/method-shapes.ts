import * as mcp from "./mcp-shapes.ts";
import type {
  HostNotifications,
  HostRequests,
  SandboxNotifications,
  ViewNotifications,
  ViewRequests,
} from "./method-types.ts";
import type { Shape } from "./shape.ts";
import * as ui from "./shapes.ts";

/** Params of a method, and when they may be left out. */
export interface ParamsShape {
  shape: Shape;
  /** "leniently": the schema wants an object, but senders in the field leave it out. */
  absent: "never" | "leniently" | "always";
}

type Requests = ViewRequests & HostRequests;
type Method = keyof (Requests & ViewNotifications & HostNotifications & SandboxNotifications);

function needs(shape: Shape): ParamsShape {
  return { shape, absent: "never" };
}

function expects(shape: Shape): ParamsShape {
  return { shape, absent: "leniently" };
}

function takes(shape: Shape): ParamsShape {
  return { shape, absent: "always" };
}

const params: Record<Method, ParamsShape> = {
  "ui/initialize": needs(ui.initializeParams),
  "ui/notifications/initialized": takes(ui.emptyParams),
  "ui/open-link": needs(ui.openLinkParams),
  "ui/download-file": needs(ui.downloadFileParams),
  "ui/message": needs(ui.messageParams),
  "ui/update-model-context": needs(ui.modelContextParams),
  "ui/request-display-mode": needs(ui.displayModeParams),
  "ui/notifications/size-changed": expects(ui.sizeParams),
  "ui/notifications/request-teardown": takes(ui.emptyParams),
  "ui/notifications/tool-input": needs(ui.toolInputParams),
  "ui/notifications/tool-input-partial": needs(ui.toolInputParams),
  "ui/notifications/tool-result": needs(ui.toolResultParams),
  "ui/notifications/tool-cancelled": expects(ui.toolCancelledParams),
  "ui/notifications/host-context-changed": needs(ui.hostContext),
  "ui/resource-teardown": expects(ui.emptyParams),
  "ui/notifications/sandbox-proxy-ready": needs(ui.emptyParams),
  "ui/notifications/sandbox-resource-ready": needs(ui.sandboxResourceParams),
  "tools/call": needs(mcp.callToolParams),
  "tools/list": takes(mcp.pageParams),
  "resources/read": needs(mcp.readParams),
  "resources/list": takes(mcp.pageParams),
  "resources/templates/list": takes(mcp.pageParams),
  "prompts/list": takes(mcp.pageParams),
  "sampling/createMessage": needs(mcp.createMessageParams),
  ping: takes(mcp.noParams),
  "notifications/message": needs(mcp.logParams),
  "notifications/progress": needs(mcp.progressParams),
  "notifications/cancelled": needs(mcp.cancelledParams),
  "notifications/tools/list_changed": takes(mcp.noParams),
  "notifications/resources/list_changed": takes(mcp.noParams),
  "notifications/prompts/list_changed": takes(mcp.noParams),
};

const results: Record<keyof Requests, Shape> = {
  "ui/initialize": ui.initializeResult,
  "ui/open-link": ui.outcome,
  "ui/download-file": ui.outcome,
  "ui/message": ui.outcome,
  "ui/update-model-context": mcp.emptyResult,
  "ui/request-display-mode": ui.displayModeResult,
  "ui/resource-teardown": ui.anyObject,
  "tools/call": mcp.callToolResult,
  "tools/list": mcp.listToolsResult,
  "resources/read": mcp.readResult,
  "resources/list": mcp.listResourcesResult,
  "resources/templates/list": mcp.listResourceTemplatesResult,
  "prompts/list": mcp.listPromptsResult,
  "sampling/createMessage": mcp.createMessageResult,
  ping: mcp.emptyResult,
};

/** Shape of the params, by method. */
export const PARAMS: ReadonlyMap<string, ParamsShape> = new Map(Object.entries(params));
/** Shape of the result, by method. */
export const RESULTS: ReadonlyMap<string, Shape> = new Map(Object.entries(results));
