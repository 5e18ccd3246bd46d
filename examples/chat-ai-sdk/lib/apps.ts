// The MCP servers of this chat, and the server half of their views.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { appsExtension } from "@vitrine/host";
import { createAppsHandler } from "@vitrine/host/remote";

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: "chat", version: "1.0.0" }, { capabilities: appsExtension() });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

// A real product has the clients of each user. Next.js loads this module once for each route.
const trips = connect(process.env.TRIPS_URL ?? "http://127.0.0.1:3101/mcp");
export const clients = async () => ({ trips: await trips });

export const apps = createAppsHandler({
  clients,
  // Read your session here, and return nothing for people who aren't logged in.
  authorize: () => ({ id: "demo" }),
  // Routes of Next.js don't share memory, so they need the same key.
  key: process.env.APPS_KEY ?? "at-least-32-random-characters-in-production",
  onEvent: ({ event, server, tool }) => console.info(JSON.stringify({ event, server, tool })),
});
