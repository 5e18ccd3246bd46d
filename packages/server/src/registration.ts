// The official helpers, with their names and signatures, for servers of SDK v2 and v1: and what the
// official ones leave to chance is checked here, when the server starts.

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

/** How a tool presents itself. */
export interface ToolConfig {
  title?: string | undefined;
  description?: string | undefined;
  inputSchema?: AnySchema | undefined;
  outputSchema?: AnySchema | undefined;
  annotations?: ToolAnnotations | undefined;
  _meta?: Record<string, unknown> | undefined;
  /** Whatever else the SDK's `registerTool` knows, such as `icons`. */
  [key: string]: unknown;
}

/** A tool that has a View: `_meta.ui.resourceUri`, or the deprecated flat key, says which. */
export interface McpUiAppToolConfig extends ToolConfig {
  _meta: {
    ui?: McpUiToolMeta;
    /** Deprecated: use `ui.resourceUri`. */
    [RESOURCE_URI_META_KEY]?: string | undefined;
    [key: string]: unknown;
  };
}

/** How a View is listed. */
export interface McpUiAppResourceConfig extends Partial<Omit<Resource, "uri" | "name" | "_meta">> {
  _meta?: { ui?: McpUiResourceMeta; [key: string]: unknown } | undefined;
  /** Of SDK v2: how long clients may keep what they read. */
  cacheHint?: { ttlMs?: number; cacheScope?: "public" | "private" } | undefined;
}

type Awaitable<T> = T | Promise<T>;

/** What a tool's callback may return: the official result, or one field for each audience. */
export type AppToolResult<Data = unknown> = AppResult<Data> | ToolResultLike | InputRequired;

/** A `CallToolResult` of any SDK, by its shape; `content` is made of the data where it is missing. */
export interface ToolResultLike {
  [key: string]: unknown;
  content: unknown[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
}

/** A tool's callback; without an input schema it gets only the context. */
export type AppToolCallback<In, Context> = [In] extends [AnySchema]
  ? (args: OutputOf<In>, context: Context) => Awaitable<AppToolResult>
  : (context: Context) => Awaitable<AppToolResult>;

/** The official name of a callback's type; the context is known where the server is. */
export type ToolCallback<
  In extends AnySchema | undefined = undefined,
  Context = unknown,
> = AppToolCallback<In, Context>;

/** What a read gives: one item with `text` or `blob`, perhaps with `_meta.ui`; checked when it is read. */
export interface McpUiReadResourceResult {
  [key: string]: unknown;
  contents: object[];
  _meta?: { ui?: McpUiResourceMeta; [key: string]: unknown } | undefined;
}

/** Reads a View. */
export type McpUiReadResourceCallback<Context = unknown> = (
  uri: URL,
  context: Context,
) => Awaitable<McpUiReadResourceResult | InputRequired>;

/** The official short name of it. */
export type ReadResourceCallback<Context = unknown> = McpUiReadResourceCallback<Context>;

/** How a resource is listed, without its address and name. */
export type ResourceMetadata = Omit<Resource, "uri" | "name">;

/** What the official signature has no place for. */
export interface RegistrationOptions extends DeclarationOptions {
  /** Hears what is most likely a mistake; default: the platform's warnings, in development. */
  warn?: Warn | undefined;
}

/** Options of a tool. */
export interface AppToolOptions extends RegistrationOptions {
  /** Makes the text of a result that has none of its data. */
  describe?: ((structuredContent: unknown) => string) | undefined;
}

/** Options of a resource. */
export interface AppResourceOptions extends RegistrationOptions {
  /** Refuse to deliver what does not begin with a doctype, instead of warning of it (SRV-04). */
  strict?: boolean | undefined;
}

/**
 * Registers a tool that has a View. Both metadata keys are sent; the address, the visibility and the
 * View's existence are checked; a result always has text.
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
  { describe, warn = warnInDevelopment }: AppToolOptions = {},
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
    return completeResult(toCallToolResult((result ?? {}) as AppResult), options);
  };
  const { uri } = toolResourceUri({ name, _meta });
  enlistTool(server, uri === undefined ? undefined : { name, uri }, warn);
  return server.registerTool(name, { ...config, _meta } as never, call as never) as ReturnType<
    S["registerTool"]
  >;
}

/**
 * Registers a View. Its MIME type and metadata are on the list entry and on what is read; what the
 * callback says of an item wins over what is listed (SRV-07).
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
