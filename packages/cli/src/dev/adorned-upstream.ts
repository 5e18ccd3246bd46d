// Views for a server that has none: what @vitrine/server/adorn makes of its catalogue, put between the
// server and the Host.

import type { Upstream } from "@vitrine/host";
import type { Tool } from "@vitrine/protocol/apps";
import { toolResourceUri } from "@vitrine/protocol/apps/discovery";
import { type AdornedCatalogue, adorn } from "@vitrine/server/adorn";
import type { Adorning } from "./page-protocol.ts";

const PAGES = 100;

/** The same server, with Views where it has none. */
export function adornedUpstream(upstream: Upstream, adorning: () => Adorning): Upstream {
  let adorned: AdornedCatalogue | undefined;

  const listTools = async (signal: AbortSignal | undefined): Promise<readonly Tool[]> => {
    const tools = await allTools(upstream, signal);
    const has = tools.some((tool) => toolResourceUri(tool).code !== "none");
    const isWanted = adorning() === "all" || (adorning() === "auto" && !has);
    adorned = isWanted ? adorn({ server: { name: upstream.server }, tools }) : undefined;
    return adorned?.tools ?? tools;
  };
  /** What the catalogue answers by itself. */
  const answer = async (
    method: string,
    params: unknown,
    signal: AbortSignal | undefined,
  ): Promise<unknown> => {
    if (method === "tools/list") return { tools: await listTools(signal) };
    if (method === "resources/read") return adorned?.read((params as { uri: string }).uri);
    if (method !== "resources/list" || !adorned || upstream.capabilities.resources)
      return undefined;
    return { resources: adorned.resources };
  };

  return {
    server: upstream.server,
    get capabilities() {
      const { capabilities } = upstream;
      return adorning() === "off"
        ? capabilities
        : { ...capabilities, resources: capabilities.resources ?? {} };
    },
    request: async (method, params, options) => {
      const own = await answer(method, params, options?.signal);
      if (own !== undefined) return own as never;
      const given = await upstream.request(method, params, options);
      const name = method === "tools/call" ? (params as { name: string }).name : undefined;
      return (
        name === undefined ? given : (adorned?.result(name, given as never) ?? given)
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
