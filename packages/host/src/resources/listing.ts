import type { Resource, Tool } from "@vitrine/protocol/apps";
import type { Upstream } from "../upstreams/upstream.ts";
import { type Perishable, recall } from "./server-cache.ts";

interface Lists {
  tools: Tool;
  resources: Resource;
}

// Limits a server that returns pages without end.
const PAGES = 64;
// Every call of a view checks the list, and the official server sends `ttlMs: 0` by default.
const LEAST = 60_000;

/** All pages of a server's list. */
export function listing<L extends keyof Lists>(upstream: Upstream, list: L): Promise<Lists[L][]> {
  return recall(upstream, list, "", async (signal): Promise<Perishable<Lists[L][]>> => {
    const items: unknown[] = [];
    let cursor: string | undefined;
    let ttl = LEAST;
    for (let page = 0; page < PAGES; page++) {
      const result = await upstream.request(`${list}/list`, cursor ? { cursor } : {}, { signal });
      const { [list]: found, nextCursor, ttlMs } = result;
      if (Array.isArray(found)) items.push(...found.filter((item) => item?.name || item?.uri));
      ttl = Math.max(ttl, Number(ttlMs) || 0);
      if (!nextCursor || nextCursor === cursor) break;
      cursor = nextCursor;
    }
    return [items as Lists[L][], ttl];
  });
}
