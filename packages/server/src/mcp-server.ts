// The official SDK's `McpServer` by its shape, so that those of v2 and v1 both fit and neither has to
// be installed. Private members are read in one place, below, and everything works without them.

import { toolResourceUri } from "@vitrine/protocol/apps";
import { isRecord } from "./json-schema.ts";

/** Where tools are registered. */
export interface ToolServer {
  registerTool(name: string, config: never, callback: never): unknown;
}

/** Where resources are registered. */
export interface ResourceServer {
  registerResource(name: string, uri: never, config: never, callback: never): unknown;
}

/** An `McpServer` of the official SDK, v2 or v1. */
export interface AppServer extends ToolServer, ResourceServer {}

/** The argument of each callback: `ServerContext` in v2, `RequestHandlerExtra` in v1. */
export type ContextOf<S> = S extends {
  registerTool(name: string, config: never, callback: infer Callback): unknown;
}
  ? LastOf<Callback>
  : S extends {
        registerResource(
          name: string,
          uri: never,
          config: never,
          callback: infer Callback,
        ): unknown;
      }
    ? LastOf<Callback>
    : never;

type LastOf<F> = F extends (...args: infer A) => unknown
  ? A extends [...unknown[], infer Last]
    ? Last
    : never
  : never;

/** The connection inside an `McpServer`. */
export interface InnerServer {
  connect(transport: unknown): Promise<void>;
  registerCapabilities(capabilities: { extensions: Record<string, object> }): void;
  getClientCapabilities?(): unknown;
  getClientVersion?(): unknown;
  transport?: unknown;
}

/** The connection, if there is one; a test double may have none. */
export function innerServer(server: object): InnerServer | undefined {
  const { server: inner } = server as { server?: InnerServer };
  const isOne =
    typeof inner?.connect === "function" && typeof inner.registerCapabilities === "function";
  return isOne ? inner : undefined;
}

/** A tool with a View. */
export interface UiTool {
  name: string;
  uri: string;
}

interface Insides {
  _registeredTools?: unknown;
  _registeredResources?: unknown;
  _registeredResourceTemplates?: unknown;
  _resourceHandlersInitialized?: unknown;
  server?: { _requestHandlers?: { has?(method: string): boolean } };
}
type Template = { resourceTemplate?: { uriTemplate?: { match?(uri: string): unknown } } };

/**
 * The enabled tools that name a view, however they were registered; `undefined` if that can't be
 * seen.
 */
export function uiToolsOf(server: object): UiTool[] | undefined {
  const tools = (server as Insides)._registeredTools;
  if (!isRecord(tools)) return undefined;
  return Object.entries(tools).flatMap(([name, tool]) => {
    const { _meta, enabled } = tool as { _meta?: Record<string, unknown>; enabled?: boolean };
    const resource = toolResourceUri({ name, _meta });
    return enabled !== false && resource?.uri ? [{ name, uri: resource.uri }] : [];
  });
}

/** Whether a resource can be read, however it was registered; `undefined` if that can't be seen. */
export function hasResource(server: object, uri: string): boolean | undefined {
  const {
    _registeredResources: resources,
    _registeredResourceTemplates: templates,
    _resourceHandlersInitialized: isRegistry,
    server: inner,
  } = server as Insides;
  // The author has their own handler for reads, whose resources we can't know.
  if (isRegistry === false && inner?._requestHandlers?.has?.("resources/read")) return true;
  if (!isRecord(resources)) return undefined;
  if (Object.hasOwn(resources, uri)) return true;
  return Object.values(isRecord(templates) ? templates : {}).some((template) =>
    Boolean((template as Template).resourceTemplate?.uriTemplate?.match?.(uri)),
  );
}
