// Everything that a server shows to a host: its lists, its views, and the results of its UI tools.

import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import { RESOURCE_URI_META_KEY, UI_SCHEME } from "@vitrine/protocol/apps";
import type { ServerConnection } from "../../target/server-connection.ts";
import { asRecord, isRecord, type Json } from "../json.ts";
import { type Ask, wordsOfError } from "./ask.ts";
import { type CallOptions, callTools, type ToolCall } from "./tool-calls.ts";
import type { UiTool } from "./ui-tool.ts";
import { readContent, type ViewContent } from "./view-content.ts";

/** A view as the server returns it. */
export interface SurveyedView extends ViewContent {
  uri: string;
  /** Its entry in `resources/list`, if it has one. */
  entry: Json | undefined;
  /** The tools that name it. */
  tools: string[];
}

/** Everything that a server shows. */
export interface Survey {
  tools: Json[];
  uiTools: UiTool[];
  resources: Json[];
  templates: Json[];
  views: SurveyedView[];
  calls: ToolCall[];
  /** Lists that the server declares but failed to return. */
  problems: { method: string; message: string }[];
}

/** How a server is surveyed. */
export interface SurveyOptions extends CallOptions {
  timeout?: number;
}

const ANYTHING: StandardSchemaV1<unknown, Json> = {
  "~standard": { version: 1, vendor: "vitrine", validate: (value) => ({ value: value as Json }) },
};
// Limits a server that returns pages without end.
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

/** The tool, if it names a view in any known way. */
function readUiTool(tool: Json): UiTool[] {
  // Servers in Python have sent `meta`, which basic-host tolerates and others don't.
  const meta = asRecord(tool._meta ?? tool.meta);
  const nested = asRecord(meta.ui).resourceUri;
  const flat = meta[RESOURCE_URI_META_KEY];
  const foreign = meta["openai/outputTemplate"];
  if (nested === undefined && flat === undefined && foreign === undefined) return [];
  const uri = [nested, flat].find((one) => typeof one === "string" && one.startsWith(UI_SCHEME));
  return [{ name: String(tool.name), tool, nested, flat, foreign, uri }];
}

// A server's error for a list that it never announced.
const UNKNOWN = [-32601, "CAPABILITY_NOT_SUPPORTED"];

/** All pages of a list; empty if the server doesn't support it. */
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

/** The metadata that hosts use for a view: the content's, as a whole, else the list's (SRV-07). */
export function metadataOf({ entry, content }: Pick<SurveyedView, "entry" | "content">): Json {
  const of = (carrier: Json | undefined): unknown => asRecord(carrier?._meta ?? carrier?.meta).ui;
  return asRecord(of(content) ?? of(entry));
}
