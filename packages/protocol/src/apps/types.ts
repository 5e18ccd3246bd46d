/**
 * The types of MCP Apps, with the official names; `messages.ts` has the messages. A capability is an
 * object whose presence means "supported": official Views reject a boolean.
 */

import type { RequestId, Tool } from "./mcp-types.ts";

/** Colour scheme the Host shows. */
export type McpUiTheme = "light" | "dark";
/** Where a View is shown. */
export type McpUiDisplayMode = "inline" | "fullscreen" | "pip";
/** A role that may see and call a tool. */
export type McpUiToolVisibility = "model" | "app";

// Styles

type Tone =
  | "primary"
  | "secondary"
  | "tertiary"
  | "inverse"
  | "ghost"
  | "info"
  | "danger"
  | "success"
  | "warning"
  | "disabled";
type TextSize = "xs" | "sm" | "md" | "lg";
type HeadingSize = TextSize | "xl" | "2xl" | "3xl";

/** The 76 CSS variables a Host may set; one more key makes official Views reject the context. */
export type McpUiStyleVariableKey =
  | `--color-${"background" | "text" | "border"}-${Tone}`
  | `--color-ring-${Exclude<Tone, "tertiary" | "ghost" | "disabled">}`
  | `--font-${"sans" | "mono"}`
  | `--font-weight-${"normal" | "medium" | "semibold" | "bold"}`
  | `--font-${`text-${TextSize}` | `heading-${HeadingSize}`}-${"size" | "line-height"}`
  | `--border-radius-${TextSize | "xl" | "full"}`
  | "--border-width-regular"
  | `--shadow-${"hairline" | "sm" | "md" | "lg"}`;

/** Values for the style variables. */
export type McpUiStyles = Record<McpUiStyleVariableKey, string | undefined>;

/** CSS text a View may inject. */
export interface McpUiHostCss {
  /** `@font-face` or `@import` rules. */
  fonts?: string;
}

/** The Host's styles. */
export interface McpUiHostStyles {
  variables?: McpUiStyles;
  css?: McpUiHostCss;
}

// Host context

/** The host context: theme, size, locale and other facts for a View. Unknown top-level keys are kept. */
export interface McpUiHostContext {
  [key: string]: unknown;
  /** The call that opened the View: its JSON-RPC id and the tool, never the arguments. */
  toolInfo?: { id?: RequestId; tool: Tool };
  theme?: McpUiTheme;
  styles?: McpUiHostStyles;
  displayMode?: McpUiDisplayMode;
  availableDisplayModes?: McpUiDisplayMode[];
  /** Per axis: a fixed size, or a flexible one with an optional cap. */
  containerDimensions?: ({ height: number } | { maxHeight?: number | undefined }) &
    ({ width: number } | { maxWidth?: number | undefined });
  /** BCP 47. */
  locale?: string;
  /** IANA name. */
  timeZone?: string;
  userAgent?: string;
  platform?: "web" | "desktop" | "mobile";
  deviceCapabilities?: { touch?: boolean; hover?: boolean };
  /** Pixels; all four sides or none. */
  safeAreaInsets?: { top: number; right: number; bottom: number; left: number };
}

// Capabilities

/** Content a Host takes in `ui/message` or `ui/update-model-context`. */
export interface McpUiSupportedContentBlockModalities {
  text?: {};
  image?: {};
  audio?: {};
  resource?: {};
  resourceLink?: {};
  structuredContent?: {};
}

/** What a Host offers its View. */
export interface McpUiHostCapabilities {
  experimental?: Record<string, object>;
  openLinks?: {};
  downloadFile?: {};
  serverTools?: { listChanged?: boolean };
  serverResources?: { listChanged?: boolean };
  logging?: {};
  /** What the Host granted, not what the resource requested. */
  sandbox?: { permissions?: McpUiResourcePermissions; csp?: McpUiResourceCsp };
  updateModelContext?: McpUiSupportedContentBlockModalities;
  message?: McpUiSupportedContentBlockModalities;
  sampling?: { tools?: {} };
}

/** What a View offers its Host. */
export interface McpUiAppCapabilities {
  experimental?: Record<string, object>;
  tools?: { listChanged?: boolean };
  availableDisplayModes?: McpUiDisplayMode[];
}

/** What a Host announces to a Server under `extensions[EXTENSION_ID]`. */
export interface McpUiClientCapabilities {
  mimeTypes?: string[];
}

// Metadata of resources and tools

/** Origins a UI resource declares, as CSP sources with a scheme. */
export interface McpUiResourceCsp {
  /** fetch, XHR, WebSocket. */
  connectDomains?: string[];
  /** Images, scripts, styles, fonts, media. */
  resourceDomains?: string[];
  /** Nested frames. */
  frameDomains?: string[];
  /** `<base href>`. */
  baseUriDomains?: string[];
}

/** Browser features a UI resource asks for. */
export interface McpUiResourcePermissions {
  camera?: {};
  microphone?: {};
  geolocation?: {};
  clipboardWrite?: {};
}

/** `_meta.ui` of a UI resource. */
export interface McpUiResourceMeta {
  csp?: McpUiResourceCsp;
  permissions?: McpUiResourcePermissions;
  /** Dedicated origin, in the Host's own format. */
  domain?: string;
  prefersBorder?: boolean;
}

/** `_meta.ui` of a tool. */
export interface McpUiToolMeta {
  /** The `ui://` resource that shows this tool's results. */
  resourceUri?: string;
  /** Omitted means both. */
  visibility?: McpUiToolVisibility[];
  /** Belongs on the resource. */
  csp?: never;
  /** Belongs on the resource. */
  permissions?: never;
}
