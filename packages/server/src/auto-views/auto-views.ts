// Views for tools of servers that have none, including third-party servers: the catalogue is
// untrusted JSON, so a tool either gets a view or passes through unchanged. Pure and synchronous, for
// proxies between a server and its clients.

import {
  type CallToolResult,
  isVisibleTo,
  type McpUiResourceMeta,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
  type ReadResourceResult,
  type Resource,
  type Tool,
  toolResourceUri,
} from "@vitrine/protocol/apps";
import { contentHash } from "../content-hash.ts";
import { isRecord } from "../json-schema.ts";
import { withStructuredContent, withViewData } from "./result-data.ts";
import { type AutoViewRule, checkRules, type RuledView, viewByRule } from "./rules.ts";
import { metaOf, pageOf, versionOf } from "./tool-view.ts";

/** A server's tools. */
export interface Catalogue {
  /** `name` becomes part of URIs; a proxy uses its own name for the server. */
  server: { name: string };
  /** As `tools/list` returned them. */
  tools: readonly Tool[];
}

/** The same server, with views. */
export interface CatalogueWithViews {
  /** For `tools/list`, in the same order. */
  tools: Tool[];
  /** Add them to `resources/list`; this is optional. */
  resources: Resource[];
  /** For `resources/read`; `undefined` for the server's own resources. */
  read(uri: string): ReadResourceResult | undefined;
  /** For the result of `tools/call`: adds data for the view, and nothing that a model reads. */
  result(toolName: string, result: CallToolResult): CallToolResult;
}

interface AutoView {
  tool: Tool;
  view: RuledView;
  meta: McpUiResourceMeta;
  uri: string;
  /** The common prefix of the URIs of all its versions. */
  base: string;
}

const PREFIX = "ui://auto-views/";
const longestName = 120;
const VERSION = /^\.[0-9a-f]{16}\.html$/;

/** Gives tools without UI a view, by rules or by their schemas. */
export function autoViews(
  catalogue: Catalogue,
  rules: readonly AutoViewRule[] = ["auto"],
): CatalogueWithViews {
  checkRules(rules);
  const given = Array.isArray(catalogue?.tools) ? catalogue.tools : [];
  const server = slug(catalogue?.server?.name);
  const byName = new Map<string, AutoView>();
  const byBase = new Map<string, AutoView>();
  const seen = new Set<unknown>();
  const tools = given.map((tool: Tool): Tool => {
    // If two tools share a name, the second can't be called.
    const isFirst = !seen.has(tool?.name);
    seen.add(tool?.name);
    const autoView = isFirst ? autoViewOf(tool, server, rules) : undefined;
    if (!autoView) return tool;
    byName.set(tool.name, autoView);
    byBase.set(autoView.base, autoView);
    return autoView.tool;
  });
  return {
    tools,
    resources: [...byName.values()].map(listing),
    read: (uri) => {
      const base = uri.startsWith(PREFIX) ? uri.replace(/\.[0-9a-f]{16}\.html$/, "") : "";
      const autoView = byBase.get(base);
      // An older version gets the newest page: we generated it, for the same tool.
      return autoView && VERSION.test(uri.slice(base.length)) ? page(autoView, uri) : undefined;
    },
    result: (toolName, result) => {
      const { view, tool } = byName.get(toolName) ?? {};
      if (!view || !tool || !isRecord(result)) return result;
      if (!view.named) return withViewData(result);
      return tool.outputSchema === undefined ? withStructuredContent(result) : result;
    },
  };
}

/** The tool with its view; `undefined` if it stays unchanged for any reason. */
function autoViewOf(
  tool: Tool,
  server: string,
  rules: readonly AutoViewRule[],
): AutoView | undefined {
  if (!isRecord(tool) || typeof tool.name !== "string" || !isRecord(tool.inputSchema))
    return undefined;
  const { _meta = {} } = tool;
  const ui = isRecord(_meta) ? (_meta.ui ?? {}) : undefined;
  // A tool that names a view has one, even an invalid one; tools for views only are shown by those.
  if (!isRecord(ui) || toolResourceUri(tool).code !== "none" || !isVisibleTo(tool, "model")) {
    return undefined;
  }
  try {
    const view = viewByRule(tool, rules);
    if (!view) return undefined;
    const meta = metaOf(view);
    const base = `${PREFIX}${server}/${slug(tool.name)}`;
    const uri = `${base}.${versionOf(view, meta)}.html`;
    const linked = { ..._meta, ui: { ...ui, resourceUri: uri }, [RESOURCE_URI_META_KEY]: uri };
    return { tool: { ...tool, _meta: linked }, view, meta, uri, base };
  } catch {
    // A schema that we can't handle must not lose the tool.
    return undefined;
  }
}

function listing({ tool, meta, uri }: AutoView): Resource {
  const { name, title } = tool;
  const shown = typeof title === "string" && title !== "" ? title : name;
  return { uri, name, title: shown, mimeType: RESOURCE_MIME_TYPE, _meta: { ui: meta } };
}

function page({ view, meta }: AutoView, uri: string): ReadResourceResult {
  const text = pageOf(view);
  return { contents: [{ uri, mimeType: RESOURCE_MIME_TYPE, text, _meta: { ui: meta } }] };
}

/** A unique name in a URI: allowed characters stay, others become their code. */
function slug(name: unknown): string {
  const text = typeof name === "string" ? name : "";
  const code = (character: string): string => `.${character.codePointAt(0)?.toString(16)}.`;
  const words = text.slice(0, longestName).replace(/[^A-Za-z0-9_-]/gu, code);
  return text.length > longestName ? `${words}..${contentHash(text, {})}` : words || "-";
}
