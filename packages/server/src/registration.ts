// The official helpers, with their names and signatures, for servers of SDK v2 and v1. Additional
// checks run when the server starts.

import {
  EXTENSION_ID,
  isAppMimeType,
  type McpUiResourceMeta,
  type McpUiToolMeta,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
  type Resource,
  type ToolAnnotations,
  toolResourceUri,
} from "@vitrine/protocol/apps";
import { serverError } from "./errors.ts";
import { toJsonSchema } from "./json-schema.ts";
import type { ContextOf, ResourceServer, ToolServer } from "./mcp-server.ts";
import type { AnySchema, OutputOf } from "./schema-types.ts";
import { enlistResource, enlistTool } from "./start-check.ts";
import {
  type AppResult,
  completeResult,
  type InputRequired,
  isInputRequired,
  toCallToolResult,
  withViewUuid,
} from "./tool-result.ts";
import { noteCall } from "./ui-capability.ts";
import {
  type DeclarationOptions,
  normaliseResourceMeta,
  normaliseToolMeta,
  warnOfBorder,
} from "./ui-metadata.ts";
import { checkUiUri } from "./ui-uri.ts";
import { createReading } from "./view-reading.ts";
import { type Warn, warnInDevelopment } from "./warnings.ts";

export { getUiCapability } from "./ui-capability.ts";
export { EXTENSION_ID, RESOURCE_MIME_TYPE, RESOURCE_URI_META_KEY };

/** A tool's config. */
export interface ToolConfig {
  title?: string | undefined;
  description?: string | undefined;
  inputSchema?: AnySchema | undefined;
  outputSchema?: AnySchema | undefined;
  annotations?: ToolAnnotations | undefined;
  _meta?: Record<string, unknown> | undefined;
  /** Other options of the SDK's `registerTool`, such as `icons`. */
  [key: string]: unknown;
}

/** A tool with a view: `_meta.ui.resourceUri`, or the deprecated flat key, names it. */
export interface McpUiAppToolConfig extends ToolConfig {
  _meta: {
    ui?: McpUiToolMeta;
    /** Deprecated: use `ui.resourceUri`. */
    [RESOURCE_URI_META_KEY]?: string | undefined;
    [key: string]: unknown;
  };
}

/** How a view is listed. */
export interface McpUiAppResourceConfig extends Partial<Omit<Resource, "uri" | "name" | "_meta">> {
  _meta?: { ui?: McpUiResourceMeta; [key: string]: unknown } | undefined;
  /** SDK v2: how long clients may cache the content. */
  cacheHint?: { ttlMs?: number; cacheScope?: "public" | "private" } | undefined;
}

type Awaitable<T> = T | Promise<T>;

/** A callback's result: the official result, or one field for each audience. */
export type AppToolResult<Data = unknown> = AppResult<Data> | ToolResultLike | InputRequired;

/** A `CallToolResult` of any SDK, by its shape; `content` is generated from the data if missing. */
export interface ToolResultLike {
  [key: string]: unknown;
  content: unknown[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
}

/** A tool's callback; without an input schema it only gets the context. */
export type AppToolCallback<In, Context> = [In] extends [AnySchema]
  ? (args: OutputOf<In>, context: Context) => Awaitable<AppToolResult>
  : (context: Context) => Awaitable<AppToolResult>;

/** The official name of a callback's type; the server determines the context. */
export type ToolCallback<
  In extends AnySchema | undefined = undefined,
  Context = unknown,
> = AppToolCallback<In, Context>;

/**
 * The result of a read: one item with `text` or `blob`, perhaps with `_meta.ui`; checked at each
 * read.
 */
export interface McpUiReadResourceResult {
  [key: string]: unknown;
  contents: object[];
  _meta?: { ui?: McpUiResourceMeta; [key: string]: unknown } | undefined;
}

/** Reads a view. */
export type McpUiReadResourceCallback<Context = unknown> = (
  uri: URL,
  context: Context,
) => Awaitable<McpUiReadResourceResult | InputRequired>;

/** Its official short name. */
export type ReadResourceCallback<Context = unknown> = McpUiReadResourceCallback<Context>;

/** How a resource is listed, without its address and name. */
export type ResourceMetadata = Omit<Resource, "uri" | "name">;

/** Options beyond the official signature. */
export interface RegistrationOptions extends DeclarationOptions {
  /** Called with likely mistakes; default: the platform's warnings, in development. */
  warn?: Warn | undefined;
}

/** Options of a tool. */
export interface AppToolOptions extends RegistrationOptions {
  /** Creates the text of a result that has none from its data. */
  describe?: ((structuredContent: unknown) => string) | undefined;
  /**
   * Gives each result of a tool with a view an id of that view, `_meta.viewUUID`, unless it has one.
   * `defineApp` always does.
   */
  viewUuid?: boolean | undefined;
}

/** Options of a resource. */
export interface AppResourceOptions extends RegistrationOptions {
  /** Reject content without a doctype instead of warning (SRV-04). */
  strict?: boolean | undefined;
}

/**
 * Registers a tool with a view. Both metadata keys are sent; the address, the visibility and the
 * view's existence are checked; a result always has text.
 */
export function registerAppTool<
  S extends ToolServer,
  In extends AnySchema | undefined = undefined,
  Out extends AnySchema | undefined = undefined,
>(
  server: S,
  name: string,
  config: McpUiAppToolConfig & { inputSchema?: In; outputSchema?: Out },
  callback: AppToolCallback<In, ContextOf<S>>,
  { describe, viewUuid = false, warn = warnInDevelopment }: AppToolOptions = {},
): ReturnType<S["registerTool"]> {
  const _meta = normaliseToolMeta(name, config._meta);
  const options = {
    tool: name,
    title: config.title,
    schema: () => toJsonSchema(config.outputSchema, "output"),
    describe,
    warn,
  };
  const call = async (...args: unknown[]): Promise<unknown> => {
    noteCall(args.at(-1), server);
    const result = await (callback as (...args: unknown[]) => Awaitable<AppToolResult>)(...args);
    if (isInputRequired(result)) return result;
    const completed = completeResult(toCallToolResult((result ?? {}) as AppResult), options);
    return viewUuid && uri !== undefined ? withViewUuid(completed) : completed;
  };
  const { uri } = toolResourceUri({ name, _meta });
  enlistTool(server, uri === undefined ? undefined : { name, uri }, warn);
  return server.registerTool(name, { ...config, _meta } as never, call as never) as ReturnType<
    S["registerTool"]
  >;
}

/**
 * Registers a view. Its MIME type and metadata are in the list entry and in the content; the
 * callback's metadata of an item takes precedence (SRV-07).
 */
export function registerAppResource<S extends ResourceServer>(
  server: S,
  name: string,
  uri: string,
  config: McpUiAppResourceConfig,
  readCallback: McpUiReadResourceCallback<ContextOf<S>>,
  options: AppResourceOptions = {},
): ReturnType<S["registerResource"]> {
  const { warn = warnInDevelopment } = options;
  checkUiUri(uri);
  if (config.mimeType !== undefined && !isAppMimeType(config.mimeType)) {
    throw serverError("wrong-mime-type", JSON.stringify(config.mimeType));
  }
  const meta = normaliseResourceMeta(uri, config._meta?.ui, options);
  warnOfBorder(uri, meta, warn);
  const listed = {
    ...config,
    mimeType: RESOURCE_MIME_TYPE,
    ...(config._meta && { _meta: { ...config._meta, ...(config._meta.ui && { ui: meta }) } }),
  };
  const deliver = createReading({ uri, meta, ...options, warn });
  const read = async (url: URL, context: unknown): Promise<unknown> =>
    deliver(await readCallback(url, context as ContextOf<S>));
  enlistResource(server, uri, warn);
  return server.registerResource(name, uri as never, listed as never, read as never) as ReturnType<
    S["registerResource"]
  >;
}
