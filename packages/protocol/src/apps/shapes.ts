/** MCP Apps as shapes, closed or open exactly as in the published JSON schema. */

import {
  bareTool,
  callToolResult,
  contentBlock,
  downloadable,
  implementation,
  requestId,
  tool,
} from "./mcp-shapes.ts";
import {
  any,
  array,
  boolean,
  closed,
  defaulting,
  type Fields,
  literal,
  number,
  open,
  record,
  type Shape,
  string,
  tolerant,
} from "./shape.ts";
import { isStyleVariable } from "./style-variables.ts";

const flag: Shape = closed({});
const listChanged: Shape = closed({}, { listChanged: boolean });
const experimental: Shape = record(record(any));

/** Where a View is shown. */
export const displayMode: Shape = literal("inline", "fullscreen", "pip");
/** Colour scheme. */
export const theme: Shape = literal("light", "dark");

// Metadata

/** Declared origins; whether each is a sane CSP source is the Sandbox's decision. */
export const resourceCsp: Shape = closed(
  {},
  {
    connectDomains: array(string),
    resourceDomains: array(string),
    frameDomains: array(string),
    baseUriDomains: array(string),
  },
);
/** Browser features. */
export const resourcePermissions: Shape = closed(
  {},
  { camera: flag, microphone: flag, geolocation: flag, clipboardWrite: flag },
);
/** `_meta.ui` of a resource. */
export const resourceMeta: Shape = closed(
  {},
  { csp: resourceCsp, permissions: resourcePermissions, domain: string, prefersBorder: boolean },
);
/** `_meta.ui` of a tool. */
export const toolMeta: Shape = closed(
  {},
  { resourceUri: string, visibility: array(literal("model", "app")) },
);

// Capabilities

/** Content a Host takes. */
export const modalities: Shape = closed(
  {},
  {
    text: flag,
    image: flag,
    audio: flag,
    resource: flag,
    resourceLink: flag,
    structuredContent: flag,
  },
);
/** What a Host offers. */
export const hostCapabilities: Shape = closed(
  {},
  {
    experimental,
    openLinks: flag,
    downloadFile: flag,
    serverTools: listChanged,
    serverResources: listChanged,
    logging: flag,
    sandbox: closed({}, { permissions: resourcePermissions, csp: resourceCsp }),
    updateModelContext: modalities,
    message: modalities,
    sampling: closed({}, { tools: flag }),
  },
);
/** What a View offers. */
export const appCapabilities: Shape = closed(
  {},
  { experimental, tools: listChanged, availableDisplayModes: array(displayMode) },
);
/** What a Host announces to Servers. */
export const clientCapabilities: Shape = closed({}, { mimeTypes: array(string) });

// Host context

/** CSS text for Views. */
export const hostCss: Shape = closed({}, { fonts: string });
/** Any subset of the style variables; lenient reading keeps variables we do not know. */
export const styleVariables: Shape = record(string, isStyleVariable);
/** The Host's styles. */
export const hostStyles: Shape = closed({}, { variables: styleVariables, css: hostCss });

const side: Shape = defaulting(number, () => 0);
const dimensions: Fields = { height: number, maxHeight: number, width: number, maxWidth: number };

/** The host context, whole or in part; every key is optional and unknown ones are kept. */
export const hostContext: Shape = open(
  {},
  {
    toolInfo: tolerant(
      closed({ tool }, { id: requestId }),
      closed({}, { id: requestId, tool: bareTool }),
    ),
    theme,
    styles: hostStyles,
    displayMode,
    // The text allows any string, the types allow three: write these three, read any.
    availableDisplayModes: tolerant(array(displayMode), array(string)),
    containerDimensions: closed({}, dimensions),
    locale: string,
    timeZone: string,
    userAgent: string,
    platform: literal("web", "desktop", "mobile"),
    deviceCapabilities: closed({}, { touch: boolean, hover: boolean }),
    safeAreaInsets: closed({ top: side, right: side, bottom: side, left: side }),
  },
);

// Params

/** Params that must be an empty object; absence is read as one. */
export const emptyParams: Shape = closed({});
/** Params of `ui/initialize`. */
export const initializeParams: Shape = closed({
  appInfo: implementation,
  appCapabilities,
  protocolVersion: string,
});
/** Params of `ui/open-link`; whether the URL may be opened is policy. */
export const openLinkParams: Shape = closed({ url: string });
/** Params of `ui/download-file`. */
export const downloadFileParams: Shape = closed({ contents: array(downloadable) });
/** Params of `ui/message`. */
export const messageParams: Shape = closed({ role: literal("user"), content: array(contentBlock) });
/** Params of `ui/update-model-context`. */
export const modelContextParams: Shape = closed(
  {},
  { content: array(contentBlock), structuredContent: record(any) },
);
/** Params of `ui/request-display-mode`. */
export const displayModeParams: Shape = closed({ mode: displayMode });
/** Params of `ui/notifications/size-changed`. */
export const sizeParams: Shape = closed({}, { width: number, height: number });
/** Params of `tool-input` and `tool-input-partial`. */
export const toolInputParams: Shape = closed({}, { arguments: record(any) });
/** Params of `ui/notifications/tool-cancelled`. */
export const toolCancelledParams: Shape = closed({}, { reason: string });
/** Params of `ui/notifications/tool-result`: the result itself. */
export const toolResultParams: Shape = callToolResult;
/** Params of `ui/notifications/sandbox-resource-ready`. */
export const sandboxResourceParams: Shape = closed(
  { html: string },
  { sandbox: string, csp: resourceCsp, permissions: resourcePermissions },
);

// Results

/** Result of `ui/initialize`. */
export const initializeResult: Shape = open({
  protocolVersion: string,
  hostInfo: implementation,
  hostCapabilities,
  hostContext,
});
/** Result of `ui/open-link`, `ui/message` and `ui/download-file`. */
export const outcome: Shape = open({}, { isError: boolean });
/** Result of `ui/request-display-mode`. */
export const displayModeResult: Shape = open({ mode: displayMode });
/** Result of `ui/resource-teardown`. */
export const anyObject: Shape = record(any);
