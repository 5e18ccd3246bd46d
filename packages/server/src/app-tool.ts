// The tools of an app: types from their schemas, one context for both SDKs.

import type {
  ContentBlock,
  McpUiClientCapabilities,
  McpUiToolVisibility,
  ToolAnnotations,
} from "@vitrine/protocol/apps";
import { type Auth, authOf } from "./auth/auth.ts";
import type { ToolResultLike } from "./registration.ts";
import type { AnySchema, InputOf, OutputOf } from "./schema-types.ts";
import type { InputRequired } from "./tool-result.ts";
import { uiCapability } from "./ui-capability.ts";

/** The context of a handler. */
export interface AppCall {
  /**
   * The client's support for views: `null` if it doesn't show views, `undefined` if that can't be
   * known.
   */
  readonly ui: McpUiClientCapabilities | null | undefined;
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal;
  /** The user, if `requireAuth` has checked an access token; `undefined` over stdio. */
  readonly auth: Auth | undefined;
  /** The SDK's own context: `ServerContext` of v2, `RequestHandlerExtra` of v1. */
  readonly sdk: unknown;
}

/** A handler's result, one field for each audience (SRV-19), or the official result. */
export type HandlerResult<Out> = ToolResultLike | InputRequired | Told<Out>;

type Told<Out> = [Out] extends [AnySchema]
  ?
      | (Parts & { data?: InputOf<Out>; isError: true })
      | (Parts & { data: InputOf<Out>; isError?: false })
  : Parts & { data?: unknown; isError?: boolean };

interface Parts {
  /** For the model; generated from the data if left out. */
  text?: string | ContentBlock[] | undefined;
  /** For the view's code only: `_meta` of the result. */
  private?: Record<string, unknown> | undefined;
  /** The same under its official name, for keys that hosts define. */
  _meta?: Record<string, unknown> | undefined;
  content?: never;
}

/** A tool of an app. */
export interface AppTool<
  In extends AnySchema | undefined = AnySchema | undefined,
  Out extends AnySchema | undefined = AnySchema | undefined,
  Opens extends boolean = boolean,
> {
  title?: string;
  description?: string;
  inputSchema?: In;
  /** The schema of the data. */
  outputSchema?: Out;
  annotations?: ToolAnnotations;
  /** Whether the model, the View or both may see and call it. */
  visibility?: McpUiToolVisibility[];
  /**
   * Whether the view shows its results too, like those of the app's first tool. The model may then call
   * it, and the view's input and result are of one of these tools.
   */
  opens?: Opens;
  /** More metadata of the tool, such as keys that hosts define. `ui` is completed, the rest stays. */
  _meta?: Record<string, unknown>;
  handler(args: OutputOf<In>, call: AppCall): HandlerResult<Out> | Promise<HandlerResult<Out>>;
}

/** A tool whose schema types were erased. */
export interface AnyAppTool extends Omit<AppTool, "handler"> {
  handler(args: never, call: AppCall): unknown;
}

/**
 * Another tool of an app. The types of its handler come from its schemas. `NoInfer` keeps the context
 * in which the result is used, such as `tools` of `defineApp`, from deciding the schema types.
 */
export function appTool<
  In extends AnySchema | undefined = undefined,
  Out extends AnySchema | undefined = undefined,
  const Opens extends boolean = false,
>(tool: AppTool<In, Out, Opens>): AppTool<NoInfer<In>, NoInfer<Out>, Opens> {
  return tool;
}

type Sdk = { mcpReq?: { signal?: AbortSignal }; signal?: AbortSignal };

/** The context of a call, from either SDK's context. */
export function appCall(sdk: unknown): AppCall {
  return {
    get ui() {
      return uiCapability(sdk);
    },
    get signal() {
      const { mcpReq, signal } = (sdk ?? {}) as Sdk;
      return mcpReq?.signal ?? signal ?? new AbortController().signal;
    },
    get auth() {
      return authOf(sdk);
    },
    sdk,
  };
}
