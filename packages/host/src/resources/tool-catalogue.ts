import type { Tool } from "@vitrine/protocol/apps";
import { isVisibleTo } from "@vitrine/protocol/apps/discovery";
import type { Upstream } from "../upstreams/upstream.ts";
import { listing } from "./listing.ts";

/** The tools of one Server. Rejects as the Server's `tools/list` does; the next call asks again. */
export interface ToolCatalogue {
  all(): Promise<readonly Tool[]>;
  find(name: string): Promise<Tool | undefined>;
  /** What a model may be told of: tools for apps alone are not in it (HST-08). */
  forModel(): Promise<readonly Tool[]>;
}

/** The tools of a Server, asked for once and again when they changed. */
export function catalogueOf(upstream: Upstream): ToolCatalogue {
  const all = (): Promise<readonly Tool[]> => listing(upstream, "tools");
  return {
    all,
    find: async (name) => (await all()).find((tool) => tool.name === name),
    forModel: async () => (await all()).filter((tool) => isVisibleTo(tool, "model")),
  };
}
