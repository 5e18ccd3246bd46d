// What a server shows of itself to a Host: its lists, each View in them, and what its UI tools answer.

import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import { RESOURCE_URI_META_KEY, UI_SCHEME } from "@vitrine/protocol/apps";
import type { ServerConnection } from "../../target/server-connection.ts";
import { asRecord, isRecord, type Json } from "../json.ts";
import { type Ask, wordsOfError } from "./ask.ts";
import { callTools, type ToolCall } from "./tool-calls.ts";
import { readContent, type ViewContent } from "./view-content.ts";

/** A tool that names a View, in whatever way. */
export interface UiTool {
  name: string;
  tool: Json;
  /** Under `_meta.ui.resourceUri`, under `_meta["ui/resourceUri"]`, and under the key of others. */
  nested: unknown;
  flat: unknown;
  foreign: unknown;
  /** The address that Hosts take. */
  uri: string | undefined;
}

/** A View as the server hands it out. */
export interface SurveyedView extends ViewContent {
  uri: string;
  /** Its entry in `resources/list`, if it has one. */
  entry: Json | undefined;
  /** The tools that name it. */
  tools: string[];
}

/** All that a server shows. */
export interface Survey {
  tools: Json[];
  uiTools: UiTool[];
  resources: Json[];
  templates: Json[];
  views: SurveyedView[];
  calls: ToolCall[];
  /** Lists that the server has and could not give. */
  problems: { method: string; message: string }[];
}

/** How a server is surveyed. */
export interface SurveyOptions {
  /** Arguments of tools, by their names. */
  calls?: Record<string, Json>;
  /** Whether UI tools are called; `safe` leaves out those that say they change things. */
  calling?: "safe" | "all" | "none";
  timeout?: number;
}

const ANYTHING: StandardSchemaV1<unknown, Json> = {
  "~standard": { version: 1, vendor: "vitrine", validate: (value) => ({ value: value as Json }) },
};
// A server that never ends its pages must not keep us.
const MOST_PAGES = 50;

/** Reads everything. */
export async function surveyServer(
  { client }: Pick<ServerConnection, "client">,
  options: SurveyOptions = {},
): Promise<Survey> {
  const { timeout = 15_000 } = options;
  const ask: Ask = (method, params = {}) =>
    client.request({ method, params }, ANYTHING, { timeout });
  const problems: Survey["problems"] = [];
  const list = (method: string, key: string): Promise<Json[]> =>
    listOf(ask, method, key).catch((error) => {
      problems.push({ method, message: wordsOfError(error) });
      return [];
    });
  const tools = await list("tools/list", "tools");
  const resources = await list("resources/list", "resources");
  const templates = await list("resources/templates/list", "resourceTemplates");
  const uiTools = tools.flatMap(readUiTool);
  const listed = resources.map(({ uri }) => uri).filter((uri) => `${uri}`.startsWith(UI_SCHEME));
  const named = uiTools.flatMap(({ nested, flat }) => [nested, flat]);
  const uris = new Set([...named, ...listed].filter((uri) => typeof uri === "string"));
  const views: SurveyedView[] = [];
  for (const uri of uris) {
    views.push({
      uri,
      entry: resources.find((entry) => entry.uri === uri),
      tools: uiTools
        .filter(({ nested, flat }) => nested === uri || flat === uri)
        .map(({ name }) => name),
      ...(await readContent(ask, uri)),
    });
  }
  const calls = await callTools(ask, uiTools, options);
  return { tools, uiTools, resources, templates, views, calls, problems };
}

/** The tool, if it names a View in any way that was ever written down. */
function readUiTool(tool: Json): UiTool[] {
  // Servers in Python have sent `meta`, which basic-host tolerates and others do not.
  const meta = asRecord(tool._meta ?? tool.meta);
  const nested = asRecord(meta.ui).resourceUri;
  const flat = meta[RESOURCE_URI_META_KEY];
  const foreign = meta["openai/outputTemplate"];
  if (nested === undefined && flat === undefined && foreign === undefined) return [];
  const uri = [nested, flat].find((one) => typeof one === "string" && one.startsWith(UI_SCHEME));
  return [{ name: String(tool.name), tool, nested, flat, foreign, uri }];
}

// Asked for a list that it never announced, a server says so by one of these.
const UNKNOWN = [-32601, "CAPABILITY_NOT_SUPPORTED"];

/** All pages of a list; a server that knows nothing of it has an empty one. */
async function listOf(ask: Ask, method: string, key: string): Promise<Json[]> {
  const entries: Json[] = [];
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES; page++) {
    let result: Json;
    try {
      result = await ask(method, cursor === undefined ? {} : { cursor });
    } catch (error) {
      if (isUnknown(error)) return entries;
      throw error;
    }
    if (Array.isArray(result[key])) entries.push(...result[key].filter(isRecord));
    cursor = result.nextCursor;
    if (typeof cursor !== "string") break;
  }
  return entries;
}

function isUnknown(error: unknown): boolean {
  const { code, message = "" } = error as { code?: unknown; message?: string };
  return UNKNOWN.includes(code as never) || /does not support|method not found/i.test(message);
}

/** What Hosts take for a View's metadata: the content's, as a whole, else the list's (SRV-07). */
export function metadataOf({ entry, content }: Pick<SurveyedView, "entry" | "content">): Json {
  const of = (carrier: Json | undefined): unknown => asRecord(carrier?._meta ?? carrier?.meta).ui;
  return asRecord(of(content) ?? of(entry));
}
