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

/** The tools of a View's Server as the Host knows them, and which of them the View may call. */
export interface CallableTools {
  /** What a View may call: listed here exactly if `decide` allows it. */
  list(): Tool[] | undefined;
  decide(name: string): Decision<ToolCallRefusal, { tool: Tool }>;
}

/**
 * Reads the tools for one request. A Host that has no list cannot know a tool's visibility: it is
 * called by its bare name, which the default consent always asks about.
 */
export async function readTools(guarded: Guarded, request: ViewRequest): Promise<CallableTools> {
  const { upstream, view } = guarded;
  const server = upstream?.server ?? view.server;
  // Another Server is not even asked what it has (HST-10).
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
      // Of two tools with one name, the one that a call would reach.
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
    throw refusal(`The Server's tools cannot be listed, so none can be called: ${error}`);
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
