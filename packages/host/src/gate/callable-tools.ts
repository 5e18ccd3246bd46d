import { METHOD_NOT_FOUND } from "@vitrine/protocol";
import {
  type Decision,
  decideToolCall,
  LIST_TOOLS_METHOD,
  type ListToolsResult,
  type Tool,
  type ToolCallRefusal,
} from "@vitrine/protocol/apps";
import { catalogueOf } from "../resources/tool-catalogue.ts";
import { extraOf } from "./forwarding.ts";
import type { Guarded, ViewRequest } from "./guarded.ts";
import { refusal } from "./refusal.ts";

const PAGES = 64;

/** The tools of a view's server, and which of them the view may call. */
export interface CallableTools {
  /** The tools that a view may call: exactly those that `decide` allows. */
  list(): Tool[] | undefined;
  decide(name: string): Decision<ToolCallRefusal, { tool: Tool }>;
}

/**
 * Reads the tools for one request. Without a list the host can't know a tool's visibility, so the
 * tool is called by name only, which the default consent always asks about.
 */
export async function readTools(guarded: Guarded, request: ViewRequest): Promise<CallableTools> {
  const { upstream, view } = guarded;
  const server = upstream?.server ?? view.server;
  // The view can't reach another server's tools, so they aren't listed (HST-10).
  const tools = server === view.server ? await listAll(guarded, request) : [];
  const decide = (name: string): Decision<ToolCallRefusal, { tool: Tool }> => {
    const tool: Tool | undefined = tools
      ? tools.find((entry) => entry.name === name)
      : { name, inputSchema: { type: "object" } };
    const decided = decideToolCall({ name, tool, server, viewServer: view.server });
    return decided.allow ? { allow: true, tool: tool as Tool } : decided;
  };
  return {
    decide,
    list: () =>
      // If two tools share a name, the one that a call would reach.
      tools?.filter((tool) => {
        const decided = decide(tool.name);
        return decided.allow && decided.tool === tool;
      }),
  };
}

async function listAll(
  guarded: Guarded,
  request: ViewRequest,
): Promise<readonly Tool[] | undefined> {
  const { upstream } = guarded;
  try {
    const listed = await listByHandler(guarded, request);
    return listed ?? (upstream?.capabilities.tools && (await catalogueOf(upstream).all()));
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === METHOD_NOT_FOUND) return undefined;
    request.context.signal.throwIfAborted();
    throw refusal(`The server's tools can't be listed, so none can be called: ${error}`);
  }
}

async function listByHandler(guarded: Guarded, request: ViewRequest): Promise<Tool[] | undefined> {
  const handler = guarded.handler(LIST_TOOLS_METHOD);
  if (!handler) return undefined;
  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = (await handler(params as never, extraOf(guarded, request))) as ListToolsResult;
    tools.push(...listed.tools);
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}
