import { Client as Client2, InMemoryTransport as InMemory2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as InMemory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as Server2 } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type BridgeVersion, signalOf } from "./official-bridge.ts";

// The generation of the MCP SDK that each generation of the bridge is built on.
const CLASSES = {
  "2.0.4": { Client: Client2, Server: Server2, InMemory: InMemory2 },
  "1.7.5": {
    Client: Client1 as unknown as typeof Client2,
    Server: Server1 as unknown as typeof Server2,
    InMemory: InMemory1 as unknown as typeof InMemory2,
  },
};

/** A real server in this page, and the client that is connected to it. */
export interface ConnectedServer {
  client: Client2;
  server: Server2;
  /** Calls of the tool `slow` that reached the server. */
  started: string[];
  /** Calls of the tool `slow` that their caller gave up. */
  aborted: string[];
}

/** Starts a weather server of the given generation and connects a client to it. */
export async function connectServer(version: BridgeVersion): Promise<ConnectedServer> {
  const { Client, Server, InMemory } = CLASSES[version];
  const started: string[] = [];
  const aborted: string[] = [];
  const server = new Server({ name: "weather", version: "1.0.0" });
  server.registerTool(
    "forecast",
    {
      description: "Tells the weather",
      inputSchema: z.object({ city: z.string() }),
      outputSchema: z.object({ city: z.string(), celsius: z.number() }),
    },
    async ({ city }) => {
      if (city === "Atlantis") throw new Error("Atlantis is under water");
      return {
        content: [{ type: "text", text: `12 °C in ${city}` }],
        structuredContent: { city, celsius: 12 },
        _meta: { "weather/station": 7 },
      };
    },
  );
  server.registerTool("slow", { inputSchema: z.object({ id: z.string() }) }, ({ id }, extra) => {
    return new Promise((resolve) => {
      started.push(id);
      signalOf(extra).addEventListener("abort", () => {
        aborted.push(id);
        resolve({ content: [] });
      });
    });
  });
  server.registerResource(
    "map",
    "ui://weather/map",
    { mimeType: "text/plain" },
    async ({ href }) => ({
      contents: [{ uri: href, mimeType: "text/plain", text: "a map" }],
    }),
  );
  server.registerPrompt("pack", { description: "What to pack" }, () => ({ messages: [] }));
  const client = new Client({ name: "official-host", version: "9.8.7" });
  const [here, there] = InMemory.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  return { client, server, started, aborted };
}
