import type { Tool } from "@vitrine/protocol/apps";
import { isVisibleTo } from "@vitrine/protocol/apps/discovery";
import type { Upstream } from "../upstreams/upstream.ts";
import { listing } from "./listing.ts";

/** The tools of one server. Rejects as the server's `tools/list` does; the next call tries again. */
export interface ToolCatalogue {
  all(): Promise<readonly Tool[]>;
  find(name: string): Promise<Tool | undefined>;
  /** The tools for the model: tools for apps alone are left out (HST-08). */
  forModel(): Promise<readonly Tool[]>;
}

/** The tools of a server, listed once and again after they changed. */
export function catalogueOf(upstream: Upstream): ToolCatalogue {
  const all = (): Promise<readonly Tool[]> => listing(upstream, "tools");
  return {
    all,
    find: async (name) => (await all()).find((tool) => tool.name === name),
    forModel: async () => (await all()).filter((tool) => isVisibleTo(tool, "model")),
  };
}
