import type { Json } from "../json.ts";

/** A tool that names a view, in any way. */
export interface UiTool {
  name: string;
  tool: Json;
  /**
   * Under `_meta.ui.resourceUri`, under `_meta["ui/resourceUri"]`, and under another product's key.
   */
  nested: unknown;
  flat: unknown;
  foreign: unknown;
  /** The address that hosts use. */
  uri: string | undefined;
}
