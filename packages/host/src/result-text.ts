import type { CallToolResult } from "@vitrine/protocol/apps";

/** The text for users who can't see the view. */
export function textOf(result: CallToolResult | undefined): string {
  const texts = result?.content?.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return texts?.join("\n") ?? "";
}
