import type { McpUiToolMeta } from "@vitrine/protocol/apps";
import type { ViewSource } from "../view-source.ts";
import type { ViewProblem } from "./problem.ts";

/** A folder with a View. */
export interface DiscoveredView {
  /** The tool whose results it shows; a standalone view has none. */
  toolName?: string;
  /** Name of its folder, or of its tool: the last part of its URI. */
  id: string;
  /** Its title. */
  name: string;
  description?: string;
  /** Absent if it can't be served; `problems` contains the reasons. */
  source?: ViewSource | undefined;
  /** Other keys of the resource's `_meta`, besides `ui`. */
  resourceMeta?: Record<string, unknown>;
  /** `_meta.ui` of the tool from tool.meta.json; takes precedence over the generated one. */
  toolMeta?: McpUiToolMeta;
  /** Relative to the root. */
  folder: string;
  /** Folder of its page, relative to the root. */
  pageFolder: string;
  problems: readonly ViewProblem[];
}

/** How folders are read. */
export interface DiscoveryOptions {
  /** Maximum size of a page in bytes; 1 MiB. */
  maxBytes?: number;
  /** Accept `http` and `ws` on loopback in what a View declares. */
  dev?: boolean;
}
