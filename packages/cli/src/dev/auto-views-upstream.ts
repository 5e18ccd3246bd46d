// Adds views to a server that has none, with @vitrine/server/auto-views between the server and the
// host.

import type { Upstream } from "@vitrine/host";
import type { Tool } from "@vitrine/protocol/apps";
import { toolResourceUri } from "@vitrine/protocol/apps/discovery";
import { autoViews, type CatalogueWithViews } from "@vitrine/server/auto-views";
import type { AutoViewMode } from "./page-protocol.ts";

const PAGES = 100;

/** The same server, with views for tools that have none. */
export function autoViewsUpstream(upstream: Upstream, autoViewMode: () => AutoViewMode): Upstream {
  let withViews: CatalogueWithViews | undefined;

  const listTools = async (signal: AbortSignal | undefined): Promise<readonly Tool[]> => {
    const tools = await allTools(upstream, signal);
    const has = tools.some((tool) => toolResourceUri(tool).code !== "none");
    const isWanted = autoViewMode() === "all" || (autoViewMode() === "auto" && !has);
    withViews = isWanted ? autoViews({ server: { name: upstream.server }, tools }) : undefined;
    return withViews?.tools ?? tools;
  };
  /** The response that the catalogue gives itself. */
  const answer = async (
    method: string,
    params: unknown,
    signal: AbortSignal | undefined,
  ): Promise<unknown> => {
    if (method === "tools/list") return { tools: await listTools(signal) };
    if (method === "resources/read") return withViews?.read((params as { uri: string }).uri);
    if (method !== "resources/list" || !withViews || upstream.capabilities.resources)
      return undefined;
    return { resources: withViews.resources };
  };

  return {
    server: upstream.server,
    get capabilities() {
      const { capabilities } = upstream;
      return autoViewMode() === "off"
        ? capabilities
        : { ...capabilities, resources: capabilities.resources ?? {} };
    },
    request: async (method, params, options) => {
      const own = await answer(method, params, options?.signal);
      if (own !== undefined) return own as never;
      const given = await upstream.request(method, params, options);
      const name = method === "tools/call" ? (params as { name: string }).name : undefined;
      return (
        name === undefined ? given : (withViews?.result(name, given as never) ?? given)
      ) as never;
    },
    onListChanged: (listener) => upstream.onListChanged(listener),
  };
}

async function allTools(upstream: Upstream, signal: AbortSignal | undefined): Promise<Tool[]> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const answer = await upstream.request("tools/list", cursor === undefined ? {} : { cursor }, {
      signal,
    });
    tools.push(...answer.tools);
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}
