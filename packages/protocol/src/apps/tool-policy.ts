import { RESOURCE_URI_META_KEY, UI_SCHEME } from "./constants.ts";
import { type Decision, refuse } from "./decision.ts";
import { describeValue, quote } from "./mismatch.ts";
import type { McpUiToolVisibility } from "./types.ts";

/** The part of a tool that policy reads; a Server may put anything into `_meta`. */
export interface ToolLike {
  name: string;
  _meta?: unknown;
}

const everyone: readonly McpUiToolVisibility[] = ["model", "app"];

function own(value: unknown, key: string): unknown {
  const isObject = typeof value === "object" && value !== null;
  return isObject && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

/**
 * The roles that may see and call a tool. Omitted means both (HST-11); unknown roles are ignored, and
 * any value but an array means none: a mistyped restriction must not become a permission.
 */
export function toolVisibility(tool: ToolLike): readonly McpUiToolVisibility[] {
  const declared = own(own(tool._meta, "ui"), "visibility");
  if (declared === undefined) return everyone;
  return Array.isArray(declared) ? everyone.filter((party) => declared.includes(party)) : [];
}

/** True if the model (HST-08) or the app (HST-09) may use a tool. */
export function isVisibleTo(tool: ToolLike, party: McpUiToolVisibility): boolean {
  return toolVisibility(tool).includes(party);
}

/** A tool's UI resource: found, not declared, or declared wrongly. */
export type ToolResource =
  | { uri: string; code?: undefined }
  | { uri?: undefined; code: "none" }
  | { uri?: undefined; code: "invalid"; reason: string };

/**
 * The UI resource of a tool: the nested key wins over the deprecated flat one (HST-04). A wrong
 * nested value is an error; the flat key isn't used instead.
 */
export function toolResourceUri(tool: ToolLike): ToolResource {
  const uri =
    own(own(tool._meta, "ui"), "resourceUri") ??
    own(tool._meta, RESOURCE_URI_META_KEY) ??
    undefined;
  if (uri === undefined) return { code: "none" };
  if (typeof uri === "string" && uri.startsWith(UI_SCHEME) && uri.length > UI_SCHEME.length) {
    return { uri };
  }
  return {
    code: "invalid",
    reason: `The tool ${quote(tool.name, 64)} names ${describeValue(uri)} as its UI; it must start with ${UI_SCHEME}`,
  };
}

/** Why a View may not call a tool. */
export type ToolCallRefusal =
  | "unknown-tool" // the Server does not list it
  | "other-server" // the View belongs to another Server
  | "not-visible"; // the tool is not for apps

/** A View's request to call a tool. */
export interface ToolCall {
  /** The name in `tools/call`. */
  name: string;
  /** The definition found under that name, if any. */
  tool: ToolLike | undefined;
  /** The server that the call would go to. */
  server: string;
  /** The server whose resource the View shows. */
  viewServer: string;
}

/** Decides a View's `tools/call`, before any handler runs (HST-09, HST-10). */
export function decideToolCall(call: ToolCall): Decision<ToolCallRefusal> {
  const { name, tool, server, viewServer } = call;
  const quoted = quote(name, 64);
  if (server !== viewServer) {
    return refuse(
      "other-server",
      `The tool ${quoted} is on another server than the View; a View may call only its own server.`,
    );
  }
  if (!tool) {
    return refuse("unknown-tool", `The server lists no tool named ${quoted}; see tools/list.`);
  }
  if (!isVisibleTo(tool, "app")) {
    return refuse(
      "not-visible",
      `The tool ${quoted} is not for apps; its server must add "app" to _meta.ui.visibility.`,
    );
  }
  return { allow: true };
}
