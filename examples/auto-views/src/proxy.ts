// Stands between a client and any MCP server, and gives the server's tools Views. The server is
// started by its command and knows nothing of it.

import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import {
  type CallToolResult,
  ProtocolError,
  Server,
  type Tool,
} from "@modelcontextprotocol/server";
import { type AutoViewRule, autoViews, type CatalogueWithViews } from "@vitrine/server/auto-views";

/** A server with Views. */
export interface Proxy {
  /** Builds what a client talks to; one for stdio, one for each request behind HTTP. */
  build(): Server;
  close(): Promise<void>;
}

/** Starts a server by its command and adds views to its tools. */
export async function openProxy(
  command: string,
  args: string[],
  { rules, env }: { rules?: AutoViewRule[]; env?: Record<string, string> } = {},
): Promise<Proxy> {
  const client = new Client(
    { name: "vitrine-auto-views", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  await client.connect(
    new StdioClientTransport({
      command,
      args,
      stderr: "ignore",
      // Not our whole environment: the server is a third-party program.
      env: { ...getDefaultEnvironment(), ...env },
    }),
  );
  const { name = "server", version = "0" } = client.getServerVersion() ?? {};
  const capabilities = client.getServerCapabilities() ?? {};
  const list = async (): Promise<CatalogueWithViews> => {
    const { tools } = await client.listTools();
    return autoViews({ server: { name }, tools: tools as never }, rules);
  };
  let withViews = list();
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    withViews = list();
  });

  const build = (): Server => {
    const server = new Server(
      { name, version },
      {
        capabilities: {
          tools: {},
          resources: {},
          ...(capabilities.prompts && { prompts: {} }),
          extensions: { "io.modelcontextprotocol/ui": {} },
        },
      },
    );
    server.setRequestHandler("tools/list", async () => ({
      tools: (await withViews).tools as Tool[],
    }));
    server.setRequestHandler("tools/call", async ({ params }) => {
      const result = await client.callTool(params);
      return (await withViews).result(params.name, result as never) as CallToolResult;
    });
    server.setRequestHandler("resources/list", async ({ params }) => {
      // A server without resources has ours.
      const { resources, ...page } = capabilities.resources
        ? await client.listResources(params)
        : { resources: [] };
      const own = params?.cursor ? [] : (await withViews).resources;
      return { ...page, resources: [...own, ...resources] };
    });
    server.setRequestHandler("resources/read", async ({ params }) => {
      const page = (await withViews).read(params.uri);
      if (page) return page as { contents: { uri: string; text: string }[] };
      if (!capabilities.resources) throw new ProtocolError(-32602, `There is no ${params.uri}.`);
      return client.readResource(params);
    });
    if (capabilities.prompts) {
      server.setRequestHandler("prompts/list", ({ params }) => client.listPrompts(params));
      server.setRequestHandler("prompts/get", ({ params }) => client.getPrompt(params));
    }
    return server;
  };
  return { build, close: () => client.close() };
}
