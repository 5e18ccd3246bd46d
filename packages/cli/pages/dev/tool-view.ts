import type { Tool } from "@vitrine/protocol/apps";
import { toolResourceUri } from "@vitrine/protocol/apps/discovery";

/** Whether a tool names a view. */
export function hasView(tool: Tool): boolean {
  return toolResourceUri(tool).uri !== undefined;
}
