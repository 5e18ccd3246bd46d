import type { Tool } from "@vitrine/protocol/apps";
import type {
  ListName,
  Upstream,
  UpstreamCapabilities,
  UpstreamRequestOptions,
} from "../src/upstreams/upstream.ts";

/** A request that reached the Server. */
export interface Reached {
  method: string;
  params: Record<string, unknown>;
  options: UpstreamRequestOptions;
}

/** A way to a Server that answers by script and remembers what reached it. */
export interface ScriptedUpstream extends Upstream {
  readonly reached: Reached[];
  /** Calls of tools alone: looking at the list is the Host's business. */
  readonly calls: Reached[];
  change(list: ListName): void;
  listeners: Set<(list: ListName) => void>;
}

/** What the Server has and does. */
export interface UpstreamScript {
  server?: string;
  tools?: Tool[];
  capabilities?: UpstreamCapabilities;
  answer?: (request: Reached) => unknown;
}

/** A tool with little to it. */
export function tool(name: string, more: Partial<Tool> = {}): Tool {
  return { name, inputSchema: { type: "object" }, ...more };
}

/** A tool that is declared read-only, so that it needs no consent. */
export function readOnly(name: string, more: Partial<Tool> = {}): Tool {
  return tool(name, { annotations: { readOnlyHint: true }, ...more });
}

/** Makes a Server. */
export function scriptedUpstream(script: UpstreamScript = {}): ScriptedUpstream {
  const { server = "weather", tools = [readOnly("look")], answer } = script;
  const changing = { listChanged: true };
  const capabilities = script.capabilities ?? {
    tools: changing,
    resources: changing,
    prompts: changing,
  };
  const reached: Reached[] = [];
  const listeners = new Set<(list: ListName) => void>();
  return {
    server,
    capabilities,
    reached,
    listeners,
    get calls() {
      return reached.filter(({ method }) => method === "tools/call");
    },
    change: (list) => {
      for (const listener of listeners) listener(list);
    },
    onListChanged: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    request: async (method, params, options = {}) => {
      const request = { method, params: params as Record<string, unknown>, options };
      reached.push(request);
      if (method === "tools/list") return { tools } as never;
      return ((await answer?.(request)) ?? {
        content: [{ type: "text", text: `${method} ok` }],
      }) as never;
    },
  };
}
