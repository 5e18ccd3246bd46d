import { METHOD_NOT_FOUND, RpcError } from "@vitrine/protocol";
import type { ViewRequests } from "@vitrine/protocol/apps";
import { abortable } from "../resources/abortable.ts";
import type { ListName, Upstream, UpstreamMethod, UpstreamRequestOptions } from "./upstream.ts";

type Callback<M extends UpstreamMethod> = (
  params: ViewRequests[M]["params"],
  options: UpstreamRequestOptions,
) => ViewRequests[M]["result"] | Promise<ViewRequests[M]["result"]>;

/** Functions that replace an MCP client. Features without a function aren't offered to the view. */
export interface UpstreamCallbacks {
  /** The host's own name for the server. */
  server: string;
  callTool?: Callback<"tools/call">;
  listTools?: Callback<"tools/list">;
  readResource?: Callback<"resources/read">;
  listResources?: Callback<"resources/list">;
  listResourceTemplates?: Callback<"resources/templates/list">;
  listPrompts?: Callback<"prompts/list">;
  /** If given, lists may change; returns an unsubscribe function. */
  onListChanged?(listener: (list: ListName) => void): () => void;
}

const names = {
  "tools/call": "callTool",
  "tools/list": "listTools",
  "resources/read": "readResource",
  "resources/list": "listResources",
  "resources/templates/list": "listResourceTemplates",
  "prompts/list": "listPrompts",
} as const satisfies Record<UpstreamMethod, keyof UpstreamCallbacks>;

/** An upstream made of the host's own functions: its backend, or data it already has. */
export function callbacksUpstream(callbacks: UpstreamCallbacks): Upstream {
  const { server } = callbacks;
  const capabilities: Upstream["capabilities"] = {};
  for (const method of Object.keys(names) as UpstreamMethod[]) {
    if (callbacks[names[method]]) {
      capabilities[method.split("/")[0] as ListName] = { listChanged: !!callbacks.onListChanged };
    }
  }
  return {
    server,
    capabilities,
    request: async (method, params, options = {}) => {
      const name = names[method];
      if (!callbacks[name])
        throw new RpcError(METHOD_NOT_FOUND, `${server} does not support ${method}`);
      options.signal?.throwIfAborted();
      return abortable(callbacks[name](params as never, options) as never, options.signal);
    },
    onListChanged: (listener) => callbacks.onListChanged?.(listener) ?? (() => {}),
  };
}
