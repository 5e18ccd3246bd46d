import { RESOURCE_URI_META_KEY, UI_SCHEME } from "./constants.ts";
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
