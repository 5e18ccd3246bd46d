// Apart from the rest of the policy on tools, because a Host's page loads that before any View.

import { type Decision, refuse } from "./decision.ts";
import { quote } from "./mismatch.ts";
import { isVisibleTo, type ToolLike } from "./tool-policy.ts";

/** Why a View may not call a tool. */
export type ToolCallRefusal =
  | "unknown-tool" // the Server does not list it
  | "other-server" // the View belongs to another Server
  | "not-visible"; // the tool is not for apps

/** A View's request to call a tool. */
export interface ToolCall {
  /** The name in `tools/call`. */
  name: string;
  /** The definition found under that name, if any. */
  tool: ToolLike | undefined;
  /** The server that the call would go to. */
  server: string;
  /** The server whose resource the View shows. */
  viewServer: string;
}

/** Decides a View's `tools/call`, before any handler runs (HST-09, HST-10). */
export function decideToolCall(call: ToolCall): Decision<ToolCallRefusal> {
  const { name, tool, server, viewServer } = call;
  const quoted = quote(name, 64);
  if (server !== viewServer) {
    return refuse(
      "other-server",
      `The tool ${quoted} is on another server than the View; a View may call only its own server.`,
    );
  }
  if (!tool) {
    return refuse("unknown-tool", `The server lists no tool named ${quoted}; see tools/list.`);
  }
  if (!isVisibleTo(tool, "app")) {
    return refuse(
      "not-visible",
      `The tool ${quoted} is not for apps; its server must add "app" to _meta.ui.visibility.`,
    );
  }
  return { allow: true };
}
