import { isAppMimeType, RESOURCE_URI_META_KEY, UI_SCHEME } from "@vitrine/protocol/apps";
import { wordsOf } from "../deadline.ts";
import { asRecord, isRecord, type Json } from "../json.ts";
import type { Era, ServerSession } from "./server-session.ts";

/** A tool that names a view. */
export interface UiTool {
  name: string;
  tool: Json;
  /** Its `_meta.ui`, unchecked. */
  ui: unknown;
  /** The addresses under the nested and under the flat key. */
  nested: unknown;
  flat: unknown;
}

/** A view as the server returns it. */
export interface UiResource {
  uri: string;
  /** Its entry in `resources/list`, if it has one. */
  entry: Json | undefined;
  /** Its item in `resources/read`. */
  content: Json | undefined;
  /** Why there is none. */
  problem?: string;
  /** The tools that name it. */
  tools: string[];
}

/** Everything that a server shows in one era. */
export interface Survey {
  era: Era;
  session: ServerSession;
  capabilities: Json;
  tools: Json[];
  uiTools: UiTool[];
  resources: UiResource[];
}

/** Reads the lists of a server, and every view in them. */
export async function surveyServer(session: ServerSession): Promise<Survey> {
  const tools = await listOrNone(session, "tools/list", "tools");
  const entries = await listOrNone(session, "resources/list", "resources");
  const uiTools = tools.flatMap(readUiTool);
  const isView = ({ uri, mimeType }: Json): boolean =>
    String(uri).startsWith(UI_SCHEME) || isAppMimeType(mimeType);
  const named = uiTools.flatMap(({ nested, flat }) => [nested, flat]);
  const uris = new Set([...named, ...entries.filter(isView).map(({ uri }) => uri)]);
  const resources: UiResource[] = [];
  for (const uri of uris) {
    if (typeof uri !== "string") continue;
    resources.push({
      uri,
      entry: entries.find((entry) => entry.uri === uri),
      ...(await readView(session, uri)),
      tools: uiTools
        .filter(({ nested, flat }) => nested === uri || flat === uri)
        .map(({ name }) => name),
    });
  }
  const { era, capabilities } = session;
  return { era, session, capabilities, tools, uiTools, resources };
}

/** The tool, if it names a view in either way. */
function readUiTool(tool: Json): UiTool[] {
  const meta = asRecord(tool._meta);
  const nested = asRecord(meta.ui).resourceUri;
  const flat = meta[RESOURCE_URI_META_KEY];
  if (nested === undefined && flat === undefined) return [];
  return [{ name: String(tool.name), tool, ui: meta.ui, nested, flat }];
}

async function readView(
  session: ServerSession,
  uri: string,
): Promise<{ content: Json | undefined; problem?: string }> {
  try {
    const { contents } = await session.request("resources/read", { uri });
    const items: unknown[] = Array.isArray(contents) ? contents : [];
    const item = items.find((content) => isRecord(content) && content.uri === uri) ?? items[0];
    if (isRecord(item)) return { content: item };
    return { content: undefined, problem: "resources/read returns no contents" };
  } catch (error) {
    return { content: undefined, problem: `resources/read answers "${wordsOf(error)}"` };
  }
}

/** The list; empty if the server doesn't support the method. */
async function listOrNone(session: ServerSession, method: string, key: string): Promise<Json[]> {
  try {
    return (await session.list(method, key)).filter(isRecord);
  } catch (error) {
    if ((error as { code?: unknown }).code === -32601) return [];
    throw error;
  }
}
