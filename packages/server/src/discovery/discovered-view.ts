import type { McpUiToolMeta } from "@vitrine/protocol/apps";
import type { ViewSource } from "../view-source.ts";
import type { ViewProblem } from "./problem.ts";

/** A folder with a View. */
export interface DiscoveredView {
  /** The tool whose results it shows; a View of its own belongs to none. */
  toolName?: string;
  /** Name of its folder, or of its tool: the last part of its URI. */
  id: string;
  /** What people call it. */
  name: string;
  description?: string;
  /** Absent if it cannot be served; `problems` says why. */
  source?: ViewSource | undefined;
  /** What belongs into the resource's `_meta` beside `ui`. */
  resourceMeta?: Record<string, unknown>;
  /** `_meta.ui` that tool.meta.json gives the tool; wins over what is made for it. */
  toolMeta?: McpUiToolMeta;
  /** From the root. */
  folder: string;
  /** Folder of its page, from the root. */
  pageFolder: string;
  problems: readonly ViewProblem[];
}

/** How folders are read. */
export interface DiscoveryOptions {
  /** Bytes of a page at most; 1 MiB. */
  maxBytes?: number;
  /** Accept `http` and `ws` on loopback in what a View declares. */
  dev?: boolean;
}
