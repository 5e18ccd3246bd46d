// A page that shows Views of two MCP servers: all that a host has to write.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { appsExtension, createHost, mcpClientUpstream, themeContext } from "@vitrine/host";
import { McpAppElement } from "@vitrine/host/element";

const dark = matchMedia("(prefers-color-scheme: dark)");
const look = () => themeContext(dark.matches ? "dark" : "light");

const host = createHost({
  sandbox: "http://proxy.localhost:8081/",
  context: { ...look(), locale: navigator.language },
  // A View adds a message to the conversation, with the user's consent.
  onmessage: async ({ content }) => {
    console.info("message", content);
    return {};
  },
});
dark.onchange = () => host.setContext(look());
host.onDiagnostic(({ code, detail }) => console.warn(code, detail ?? ""));

async function show(server: string, url: string, name: string): Promise<void> {
  const client = new Client(
    { name: "demo", version: "1.0.0" },
    { capabilities: appsExtension(), versionNegotiation: { mode: "auto" } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const tool = (await client.listTools()).tools.find((tool) => tool.name === name);
  if (!tool) throw new Error(`${server} has no tool ${name}`);

  const view = new McpAppElement();
  view.host = host;
  view.app = { key: server, upstream: mcpClientUpstream(client, { server }), tool };
  document.body.append(view);
  // The View is loading while the tool runs.
  view.input = {};
  view.result = await client.callTool({ name, arguments: view.input });
}

show("Clock", "http://127.0.0.1:3101/mcp", "get-time");
show("Budget", "http://127.0.0.1:3102/mcp", "get-budget-data");
