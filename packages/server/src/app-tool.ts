// The tools of an app, as their author writes them: types from the schemas, one context for both SDKs.

import type {
  ContentBlock,
  McpUiClientCapabilities,
  McpUiToolVisibility,
  ToolAnnotations,
} from "@vitrine/protocol/apps";
import type { ToolResultLike } from "./registration.ts";
import type { AnySchema, InputOf, OutputOf } from "./schema-types.ts";
import type { InputRequired } from "./tool-result.ts";
import { uiCapability } from "./ui-capability.ts";

/** What a handler has at hand beside its arguments. */
export interface AppCall {
  /** What the client said of Views: `null` if it shows none, `undefined` if it cannot be known. */
  readonly ui: McpUiClientCapabilities | null | undefined;
  /** Fires when the client gives the call up. */
  readonly signal: AbortSignal;
  /** The SDK's own context: `ServerContext` of v2, `RequestHandlerExtra` of v1. */
  readonly sdk: unknown;
}

/** What a handler may return, one field for each audience (SRV-19), or the official result. */
export type HandlerResult<Out> = ToolResultLike | InputRequired | Told<Out>;

type Told<Out> = [Out] extends [AnySchema]
  ?
      | (Parts & { data?: InputOf<Out>; isError: true })
      | (Parts & { data: InputOf<Out>; isError?: false })
  : Parts & { data?: unknown; isError?: boolean };

interface Parts {
  /** For the model; left out, it is made of the data. */
  text?: string | ContentBlock[] | undefined;
  /** For the View's code alone: `_meta` of the result. */
  private?: Record<string, unknown> | undefined;
  content?: never;
}

/** A tool of an app. */
export interface AppTool<
  In extends AnySchema | undefined = AnySchema | undefined,
  Out extends AnySchema | undefined = AnySchema | undefined,
> {
  title?: string;
  description?: string;
  inputSchema?: In;
  /** Of the data. */
  outputSchema?: Out;
  annotations?: ToolAnnotations;
  /** Who may see and call it. */
  visibility?: McpUiToolVisibility[];
  handler(args: OutputOf<In>, call: AppCall): HandlerResult<Out> | Promise<HandlerResult<Out>>;
}

/** A tool whose schemas have been forgotten. */
export interface AnyAppTool extends Omit<AppTool, "handler"> {
  handler(args: never, call: AppCall): unknown;
}

/** A further tool of an app, so that the types of its handler come from its schemas. */
export function appTool<
  In extends AnySchema | undefined = undefined,
  Out extends AnySchema | undefined = undefined,
>(tool: AppTool<In, Out>): AppTool<In, Out> {
  return tool;
}

type Sdk = { mcpReq?: { signal?: AbortSignal }; signal?: AbortSignal };

/** The context of a call, from that of either SDK. */
export function appCall(sdk: unknown): AppCall {
  return {
    get ui() {
      return uiCapability(sdk);
    },
    get signal() {
      const { mcpReq, signal } = (sdk ?? {}) as Sdk;
      return mcpReq?.signal ?? signal ?? new AbortController().signal;
    },
    sdk,
  };
}
