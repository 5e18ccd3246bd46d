import { CALL_TOOL_METHOD, READ_RESOURCE_METHOD } from "@vitrine/protocol/apps";

// Only the fields that the user is shown are sent to a server. Other keys, such as `task` and
// `_meta`, are dropped: the user can't see them, a view can't read a task's result, and `_meta`
// identifies the caller, which only the host may set. Lists keep their cursor.
const KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  [CALL_TOOL_METHOD, ["name", "arguments"]],
  [READ_RESOURCE_METHOD, ["uri"]],
]);

/** The params of a view's request as its server gets them. */
export function forServer(method: string, params: object): Record<string, unknown> {
  const keys = KEYS.get(method) ?? ["cursor"];
  return Object.fromEntries(Object.entries(params).filter(([key]) => keys.includes(key)));
}
