// The Host's page: one View for each call it is asked to make.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { appsExtension, createHost, mcpClientUpstream, themeContext } from "@vitrine/host";

declare global {
  interface Window {
    showCall(call: Call): Promise<void>;
    theme(theme: "light" | "dark"): void;
    complaints: string[];
  }
}

interface Call {
  server: string;
  tool: string;
  input: Record<string, unknown>;
}

const host = createHost({
  sandbox: document.documentElement.dataset.sandbox ?? "",
  context: { ...themeContext("light"), locale: "en" },
  // The user of this page has consented to everything.
  consent: () => true,
});
window.theme = (theme) => {
  document.documentElement.style.colorScheme = theme;
  host.setContext(themeContext(theme));
};
window.complaints = [];
host.onDiagnostic(({ level, code, detail }) => {
  // A result that arrives between the View's load and its handshake is sent twice and received once.
  if (level !== "info") window.complaints.push(`${code} ${detail ?? ""}`);
});

const clients = new Map<string, Promise<Client>>();

async function connect(server: string): Promise<Client> {
  const client = new Client(
    { name: "auto-views", version: "1.0.0" },
    { capabilities: appsExtension(), versionNegotiation: { mode: "auto" } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`/servers/${server}/mcp`, location.href)),
  );
  return client;
}

window.showCall = async ({ server, tool: name, input }) => {
  const connecting = clients.get(server) ?? connect(server);
  clients.set(server, connecting);
  const client = await connecting;
  const tool = (await client.listTools()).tools.find((tool) => tool.name === name);
  if (!tool) throw new Error(`${server} has no tool ${name}`);
  const place = document.body.appendChild(document.createElement("div"));
  const upstream = mcpClientUpstream(client, { server });
  const view = host.mount(place, {
    key: `${server}-${name}`,
    upstream,
    tool: tool as never,
    input,
  });
  const result = await client.callTool({ name, arguments: input });
  view.update({ result: result as never });
};
