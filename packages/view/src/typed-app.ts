// The types of a Server in the View that shows its results. Types only: without a type argument each is
// the official one, and nothing here ends up in a bundle.

import type { RequestOptions } from "@vitrine/protocol";
import type {
  AppTypes,
  CallToolRequest,
  CallToolResult,
  McpUiToolInputNotification,
  McpUiToolInputPartialNotification,
  McpUiToolResultNotification,
} from "@vitrine/protocol/apps";
import type { Ask } from "./app-methods.ts";

/** A tool's result whose `structuredContent` is known; absent where the call failed. */
export interface ToolResultOf<Output> extends CallToolResult {
  structuredContent?: Output | undefined;
}

/** Params of `toolinput`. */
export type ToolInput<T extends AppTypes> = unknown extends T["input"]
  ? McpUiToolInputNotification["params"]
  : { arguments?: T["input"] };

/** Params of `toolinputpartial`: any part may be missing still. */
export type PartialToolInput<T extends AppTypes> = unknown extends T["input"]
  ? McpUiToolInputPartialNotification["params"]
  : { arguments?: Incomplete<T["input"]> };

/** Params of `toolresult`. */
export type ToolResult<T extends AppTypes> = unknown extends T["output"]
  ? McpUiToolResultNotification["params"]
  : ToolResultOf<T["output"]>;

type Incomplete<V> = V extends readonly (infer Item)[]
  ? Incomplete<Item>[]
  : V extends object
    ? { [K in keyof V]?: Incomplete<V[K]> | undefined }
    : V;

/** How a View calls the tools of its Server: any tool, or those in its types. */
export type CallServerTool<T extends AppTypes> = string extends keyof T["tools"]
  ? Ask<"tools/call">
  : <N extends keyof T["tools"] & string>(
      params: CallParams<N, T["tools"][N]["input"]>,
      options?: RequestOptions,
    ) => Promise<ToolResultOf<T["tools"][N]["output"]>>;

/** The names of the tools that a View may call. */
export type ToolName<T extends AppTypes> = keyof T["tools"] & string;

/** The arguments of a tool; optional if none is required. */
export type ToolArguments<
  T extends AppTypes,
  N extends ToolName<T>,
> = string extends keyof T["tools"]
  ? [args?: Record<string, unknown>]
  : {} extends T["tools"][N]["input"]
    ? [args?: T["tools"][N]["input"]]
    : [args: T["tools"][N]["input"]];

/** The result of a tool. */
export type ToolAnswer<T extends AppTypes, N extends ToolName<T>> = string extends keyof T["tools"]
  ? CallToolResult
  : ToolResultOf<T["tools"][N]["output"]>;

type CallParams<N, Input> = {
  name: N;
  _meta?: CallToolRequest["params"]["_meta"];
} & ({} extends Input ? { arguments?: Input } : { arguments: Input });
