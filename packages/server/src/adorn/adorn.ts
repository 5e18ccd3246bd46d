// Views for tools of servers that have none, and that may be anybody's: the catalogue is JSON from
// outside, so whatever it holds, a tool is either adorned or passed on exactly as it came. Pure and
// synchronous, for whoever stands between a server and its clients.

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
import { type AdornRule, checkRules, type RuledView, viewByRule } from "./rules.ts";
import { metaOf, pageOf, versionOf } from "./tool-view.ts";

/** What a server says it has. */
export interface Catalogue {
  /** `name` becomes part of URIs; who stands between takes its own name for the server. */
  server: { name: string };
  /** As `tools/list` gave them. */
  tools: readonly Tool[];
}

/** The same server, with Views. */
export interface AdornedCatalogue {
  /** For `tools/list`, in the same order. */
  tools: Tool[];
  /** To be added to `resources/list`; leaving them out is allowed as well. */
  resources: Resource[];
  /** For `resources/read`; `undefined` for what belongs to the server. */
  read(uri: string): ReadResourceResult | undefined;
  /** For the answer of `tools/call`: adds what the View needs, and nothing that a model reads. */
  result(toolName: string, result: CallToolResult): CallToolResult;
}

interface Adornment {
  tool: Tool;
  view: RuledView;
  meta: McpUiResourceMeta;
  uri: string;
  /** What the URIs of all its versions begin with. */
  base: string;
}

const PREFIX = "ui://adorned/";
const longestName = 120;
const VERSION = /^\.[0-9a-f]{16}\.html$/;

/** Gives tools without UI a View, by rules or by what they say of themselves. */
export function adorn(
  catalogue: Catalogue,
  rules: readonly AdornRule[] = ["auto"],
): AdornedCatalogue {
  checkRules(rules);
  const given = Array.isArray(catalogue?.tools) ? catalogue.tools : [];
  const server = slug(catalogue?.server?.name);
  const byName = new Map<string, Adornment>();
  const byBase = new Map<string, Adornment>();
  const seen = new Set<unknown>();
  const tools = given.map((tool: Tool): Tool => {
    // Of two with one name nobody can call the second.
    const isFirst = !seen.has(tool?.name);
    seen.add(tool?.name);
    const adornment = isFirst ? adornmentOf(tool, server, rules) : undefined;
    if (!adornment) return tool;
    byName.set(tool.name, adornment);
    byBase.set(adornment.base, adornment);
    return adornment.tool;
  });
  return {
    tools,
    resources: [...byName.values()].map(listing),
    read: (uri) => {
      const base = uri.startsWith(PREFIX) ? uri.replace(/\.[0-9a-f]{16}\.html$/, "") : "";
      const adornment = byBase.get(base);
      // An older version is answered with the newest: its page was made by us, for the same tool.
      return adornment && VERSION.test(uri.slice(base.length)) ? page(adornment, uri) : undefined;
    },
    result: (toolName, result) => {
      const { view, tool } = byName.get(toolName) ?? {};
      if (!view || !tool || !isRecord(result)) return result;
      if (!view.named) return withViewData(result);
      return tool.outputSchema === undefined ? withStructuredContent(result) : result;
    },
  };
}

/** The tool with its View; `undefined` if it stays as it is, for whatever reason. */
function adornmentOf(
  tool: Tool,
  server: string,
  rules: readonly AdornRule[],
): Adornment | undefined {
  if (!isRecord(tool) || typeof tool.name !== "string" || !isRecord(tool.inputSchema))
    return undefined;
  const { _meta = {} } = tool;
  const ui = isRecord(_meta) ? (_meta.ui ?? {}) : undefined;
  // One that names a View has one, even if wrongly; one that is for Views alone is shown by theirs.
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
    // A schema that we stumble over is no reason to lose the tool.
    return undefined;
  }
}

function listing({ tool, meta, uri }: Adornment): Resource {
  const { name, title } = tool;
  const shown = typeof title === "string" && title !== "" ? title : name;
  return { uri, name, title: shown, mimeType: RESOURCE_MIME_TYPE, _meta: { ui: meta } };
}

function page({ view, meta }: Adornment, uri: string): ReadResourceResult {
  const text = pageOf(view);
  return { contents: [{ uri, mimeType: RESOURCE_MIME_TYPE, text, _meta: { ui: meta } }] };
}

/** A name in a URI, never that of another: what can stand there stays, the rest becomes its code. */
function slug(name: unknown): string {
  const text = typeof name === "string" ? name : "";
  const code = (letter: string): string => `.${letter.codePointAt(0)?.toString(16)}.`;
  const words = text.slice(0, longestName).replace(/[^A-Za-z0-9_-]/gu, code);
  return text.length > longestName ? `${words}..${contentHash(text, {})}` : words || "-";
}
