import type {
  AppTypes,
  McpUiHostContextChangedNotification,
  McpUiToolCancelledNotification,
} from "@vitrine/protocol/apps";
import type { PartialToolInput, ToolInput, ToolResult } from "./typed-app.ts";

/** The events that a Host sends to a View, with the official names. */
export type AppEventMap<T extends AppTypes = AppTypes> = {
  toolinput: ToolInput<T>;
  /** Incomplete and still changing: only for a preview, never to act on (VEW-09). */
  toolinputpartial: PartialToolInput<T>;
  toolresult: ToolResult<T>;
  toolcancelled: McpUiToolCancelledNotification["params"];
  hostcontextchanged: McpUiHostContextChangedNotification["params"];
};

/** Listens to one event. */
export type Listener<K extends keyof AppEventMap, T extends AppTypes = AppTypes> = (
  params: AppEventMap<T>[K],
) => void;

/** Events that are kept for a late listener; a late preview is useless. */
export const KEPT_EVENTS: ReadonlyArray<keyof AppEventMap> = [
  "toolinput",
  "toolresult",
  "toolcancelled",
];

/** All events. */
export const EVENTS: ReadonlyArray<keyof AppEventMap> = [
  ...KEPT_EVENTS,
  "toolinputpartial",
  "hostcontextchanged",
];

/**
 * The event of a notification, if there is one: its name without prefix and dashes. The same rule maps
 * the names from before the stable release, which hosts still send: `ui/toolInput`,
 * `ui/tool-cancelled`, `ui/host-context-change`, `ui/notifications/context-update`.
 */
export function toEvent(method: string): string {
  if (/^ui.*context/.test(method)) return "hostcontextchanged";
  const event = method.replace(/^ui\/(notifications\/)?|-/g, "").toLowerCase();
  return EVENTS.includes(event as keyof AppEventMap) ? event : method;
}
