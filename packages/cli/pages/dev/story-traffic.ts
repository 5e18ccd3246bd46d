// Messages of stories aren't part of the session: the tap recognises their hosts by a mark in the handshake,
// which it removes.

import type { JsonObject } from "./traffic-tap.ts";

/** The field of `hostInfo` that marks the host of a story; its value is the id of a profile. */
export const STORY_MARK = "vitrine:story";

/** The profile in a marked response to `ui/initialize`; nothing for all other messages. */
export function storyProfile(message: JsonObject): string | undefined {
  const { hostInfo } = Object(message.result) as { hostInfo?: JsonObject };
  const mark = Object(hostInfo)[STORY_MARK] as unknown;
  return typeof mark === "string" ? mark : undefined;
}

/** The message without its mark. */
export function withoutMark(message: JsonObject): JsonObject {
  const result = message.result as JsonObject;
  const { [STORY_MARK]: _, ...hostInfo } = result.hostInfo as JsonObject;
  return { ...message, result: { ...result, hostInfo } };
}
