// The connections that a product's server already has, as upstreams.

import { METHOD_NOT_FOUND, RpcError } from "@vitrine/protocol";
import { abortable } from "../resources/abortable.ts";
import { mcpClientUpstream } from "../upstreams/mcp-client.ts";
import type { McpClientLike } from "../upstreams/official-client.ts";
import type {
  Upstream,
  UpstreamCapabilities,
  UpstreamMethod,
  UpstreamRequestOptions,
} from "../upstreams/upstream.ts";

/** The part of a client of `@ai-sdk/mcp` that we use. */
export interface AiSdkClientLike {
  readonly initializeResult: { capabilities: object };
  callTool(request: never): Promise<unknown>;
  listTools(request?: never): Promise<unknown>;
  readResource(request: never): Promise<unknown>;
  listResources(request?: never): Promise<unknown>;
  listResourceTemplates(request?: never): Promise<unknown>;
  listPrompts(request?: never): Promise<unknown>;
}

/** A view, for connections that differ by view. */
export interface ViewAddress {
  /** Your name for the server. */
  server: string;
  /** The `ui://` address of the view; absent for the lists that no view asked for. */
  resource?: string;
}

/**
 * A connection to one server: an official `Client` of v1 or v2, a client of `@ai-sdk/mcp`, an upstream,
 * or a function that returns the upstream of a view, as gateways need it.
 */
export type AppsClient =
  | McpClientLike
  | AiSdkClientLike
  | Upstream
  | ((view: ViewAddress) => Upstream | Promise<Upstream>);

/** Connections by your names for their servers. */
export type AppsClients = Readonly<Record<string, AppsClient>>;

// The same upstream for the same client: it caches the lists of its server.
const upstreams = new WeakMap<object, Map<string, Upstream>>();

/** The upstream of a view. */
export async function upstreamOf(client: AppsClient, view: ViewAddress): Promise<Upstream> {
  if (typeof client === "function") return client(view);
  if ("onListChanged" in client) return client;
  const { server } = view;
  const byServer = upstreams.get(client) ?? new Map<string, Upstream>();
  upstreams.set(client, byServer);
  const upstream =
    byServer.get(server) ??
    ("initializeResult" in client
      ? aiSdkUpstream(client, server)
      : mcpClientUpstream(client, { server }));
  byServer.set(server, upstream);
  return upstream;
}

type Caller = Record<string, (request: object) => Promise<never>>;

/** How a client of `@ai-sdk/mcp` is called for each method. */
const CALLS: Record<UpstreamMethod, (client: Caller, params: never, options: object) => unknown> = {
  "tools/call": (client, params: object, options) => client.callTool?.({ ...params, options }),
  "tools/list": (client, params, options) => client.listTools?.({ params, options }),
  "resources/read": (client, params: object, options) =>
    client.readResource?.({ ...params, options }),
  "resources/list": (client, params, options) => client.listResources?.({ params, options }),
  // It can't be asked for the next page.
  "resources/templates/list": (client, _, options) => client.listResourceTemplates?.({ options }),
  "prompts/list": (client, params, options) => client.listPrompts?.({ params, options }),
};

/** That client reports neither progress nor changed lists. */
function aiSdkUpstream(client: AiSdkClientLike, server: string): Upstream {
  const request = async (
    method: UpstreamMethod,
    params: object,
    { signal }: UpstreamRequestOptions = {},
  ): Promise<unknown> => {
    signal?.throwIfAborted();
    try {
      const called = CALLS[method](client as unknown as Caller, params as never, { signal });
      return await abortable(called, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw answerOf(error, method);
    }
  };
  return {
    server,
    get capabilities() {
      return withoutChanges(client.initializeResult.capabilities as UpstreamCapabilities);
    },
    request: request as Upstream["request"],
    onListChanged: () => () => {},
  };
}

function withoutChanges({ tools, resources, prompts }: UpstreamCapabilities): UpstreamCapabilities {
  return {
    ...(tools && { tools: {} }),
    ...(resources && { resources: {} }),
    ...(prompts && { prompts: {} }),
  };
}

/** The server's response in an error of the AI SDK, or the error itself. */
function answerOf(error: unknown, method: string): unknown {
  const { name, code, message, data } = Object(error) as RpcError;
  if (name !== "MCPClientError") return error;
  if (typeof code === "number") return new RpcError(code, message, data);
  return /does not support/.test(message)
    ? new RpcError(METHOD_NOT_FOUND, `The server does not support ${method}.`)
    : error;
}
