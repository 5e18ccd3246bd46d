// A page of a Host whose way to every server is the gateway.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createHost, type Diagnostic, type Host } from "@vitrine/host";
import { type GatewayUpstream, gatewayViewOf, openGatewayUpstream } from "@vitrine/host/gateway";
import type { CallToolResult, Tool } from "@vitrine/protocol/apps";

/** Which View. */
export interface Showing {
  key: string;
  server: string;
  resource: string;
}

interface ChainPage {
  host: Host;
  upstreams: Map<string, GatewayUpstream>;
  diagnostics: Omit<Diagnostic, "cause">[];
  /** What the user was asked about: tools by name. */
  asked: string[];
  open(options: { entrance: string; gateway: string; token: string }): void;
  /** Opens the View at the gateway, runs its tool and mounts it. */
  show(showing: Showing): Promise<void>;
  /** Calls a tool of the combined endpoint and shows its view. Returns the addresses of all views there. */
  showCombined(showing: { key: string; name: string }): Promise<string[]>;
}

declare global {
  interface Window {
    chain: ChainPage;
  }
}

let gateway = "";
let token = "";

const chain: ChainPage = {
  host: undefined as never,
  upstreams: new Map(),
  diagnostics: [],
  asked: [],
  open: (options) => {
    ({ gateway, token } = options);
    chain.host = createHost({
      sandbox: options.entrance,
      callsPerMinute: 600,
      consent: async (request) => {
        chain.asked.push("tool" in request ? request.tool.name : request.kind);
        return true;
      },
      onmessage: async () => ({}),
    });
    chain.host.onDiagnostic(({ cause: _, ...found }) => chain.diagnostics.push(found));
  },
  show: async ({ key, server, resource }) => {
    const upstream = await openGatewayUpstream({ gateway, server, resource, token: () => token });
    chain.upstreams.set(key, upstream);
    const { tools } = await upstream.request("tools/list", {});
    const tool = tools.find(({ name }) => name === "show");
    if (!tool) throw new Error("The server has no tool to show.");
    const result = await upstream.request("tools/call", { name: tool.name, arguments: {} });
    const place = document.createElement("div");
    document.body.append(place);
    chain.host.mount(place, { key, upstream, tool }).update({ input: {}, result });
  },
  showCombined: async ({ key, name }) => {
    const client = new Client({ name: "chain", version: "1.0.0" });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL("/mcp", gateway), { requestInit }),
    );
    const tools = (await client.listTools()).tools as Tool[];
    const view = tools.filter((tool) => tool.name === name).map(gatewayViewOf)[0];
    if (!view) throw new Error(`There is no view of ${name}.`);
    const result = (await client.callTool({ name, arguments: {} })) as CallToolResult;
    const uris = tools.flatMap(
      ({ _meta }) => (_meta?.ui as { resourceUri?: string })?.resourceUri ?? [],
    );
    for (const uri of uris) await client.readResource({ uri });
    await client.close();
    const { server, resource, tool } = view;
    const upstream = await openGatewayUpstream({ gateway, server, resource, token: () => token });
    chain.upstreams.set(key, upstream);
    const place = document.createElement("div");
    document.body.append(place);
    chain.host.mount(place, { key, upstream, tool }).update({ input: {}, result });
    return uris;
  },
};

window.chain = chain;
