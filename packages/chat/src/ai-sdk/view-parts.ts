import type { OpenedView } from "@vitrine/host/remote";
import type { ChatApps } from "../chat-apps.ts";

/** The type of the data part that brings a view's HTML along with its tool call. */
export const VIEW_PART = "data-mcp-view";

/** Takes a view that came with the stream. Returns whether it was one. */
export function acceptViewParts(
  apps: ChatApps,
  { type, data }: { type: string; data: unknown },
): boolean {
  if (type !== VIEW_PART) return false;
  apps.servers.receive(data as OpenedView);
  return true;
}
