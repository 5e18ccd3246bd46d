import type {
  CallToolResult,
  McpUiResourceCsp,
  McpUiResourcePermissions,
} from "@vitrine/protocol/apps";
import type { Scenario, ScenarioHost } from "../scenario.ts";

/**
 * The answer to a view's call of a tool: a result, several that are given one after the other, or a
 * function of the arguments.
 */
export type ToolAnswer =
  | CallToolResult
  | readonly CallToolResult[]
  | ((args: Record<string, unknown>) => CallToolResult | Promise<CallToolResult>);

/** The host of a mounted view. */
export type MountHost = Omit<ScenarioHost, "profile">;

/** The state in which a view is mounted. A story fits. */
export interface MountOptions extends Omit<Scenario, "tool" | "tools" | "host"> {
  /** The tool that opened the view; by default the first tool of an app that has a view. */
  tool?: string;
  /** Answers to the view's calls, by tool. A call of any other tool fails. */
  tools?: Record<string, ToolAnswer>;
  host?: MountHost;
  /** The declarations of a view that is passed as HTML or as a file. */
  csp?: McpUiResourceCsp;
  permissions?: McpUiResourcePermissions;
  /** Milliseconds until the view must have connected; 15,000 by default. */
  timeout?: number;
}

/** An app of `defineApp`, by its shape. */
export interface AppLike {
  register(server: never): unknown;
}

/** A server of the official SDK that isn't connected yet, by its shape. */
export interface ServerLike {
  connect(transport: never): Promise<void>;
}

/** A mountable view: a whole HTML document, the `file:` URL of one, an app, or a server. */
export type MountableView = string | URL | AppLike | ServerLike;
