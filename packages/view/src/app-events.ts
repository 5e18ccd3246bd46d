import type {
  McpUiHostContextChangedNotification,
  McpUiToolCancelledNotification,
  McpUiToolInputNotification,
  McpUiToolInputPartialNotification,
  McpUiToolResultNotification,
} from "@vitrine/protocol/apps";

/** What the Host tells a View, by the official event names. */
export type AppEventMap = {
  toolinput: McpUiToolInputNotification["params"];
  /** Incomplete and still changing: for a preview only, never to act on (VEW-09). */
  toolinputpartial: McpUiToolInputPartialNotification["params"];
  toolresult: McpUiToolResultNotification["params"];
  toolcancelled: McpUiToolCancelledNotification["params"];
  hostcontextchanged: McpUiHostContextChangedNotification["params"];
};

/** Listens to one event. */
export type Listener<K extends keyof AppEventMap> = (params: AppEventMap[K]) => void;

/** Events that are kept for a late listener; a preview is worth nothing once it is late. */
export const KEPT_EVENTS: ReadonlyArray<keyof AppEventMap> = [
  "toolinput",
  "toolresult",
  "toolcancelled",
];

/**
 * The event a notification is: its name without prefix and dashes. The same rule reads the names
 * from before the stable release, which hosts still send: `ui/toolInput`, `ui/tool-cancelled`,
 * `ui/host-context-change`, `ui/notifications/context-update`.
 */
export function toEvent(method: string): string {
  if (/context/.test(method)) return "hostcontextchanged";
  return method.replace(/^ui\/(notifications\/)?|-/g, "").toLowerCase();
}
