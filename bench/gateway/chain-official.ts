// A gateway of the official SDK: Streamable HTTP in front, its stdio client behind, nothing in between.
//
// In front it is `createMcpHandler`, the entry that the SDK's documentation names for HTTP: stateless, with
// a server for each request. Pages use 2026-07-28 with it, which is its faster half (the older protocol
// would go through a second transport for each request). The low-level `Server` hands requests on as they
// are; the high-level one would need each tool registered. Behind, one client is connected once and kept: a
// process for each request, as stateless gateways have it, would take a hundred times as long. It checks
// neither tickets nor consent nor arguments, and records nothing.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";

const [origin = "", command = "", ...args] = process.argv.slice(2);
const info = { name: "gateway", version: "1.0.0" };

const client = new Client(info, { versionNegotiation: { mode: "auto" } });
await client.connect(new StdioClientTransport({ command, args }));

const handler = createMcpHandler(() => {
  const server = new Server(info, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", ({ params }) => client.listTools(params));
  server.setRequestHandler("tools/call", ({ params }) => client.callTool(params));
  return server;
});

const CORS = {
  "access-control-allow-origin": origin,
  "access-control-allow-headers":
    "content-type, accept, mcp-protocol-version, mcp-method, mcp-name",
  // Asked once, not before each call.
  "access-control-max-age": "7200",
};
const serveMcp = getRequestListener((request) => handler.fetch(request));
const server = createServer((request, response) => {
  response.setHeaders(new Map(Object.entries(CORS)));
  if (request.method === "OPTIONS") response.writeHead(204).end();
  // What a request costs a page and a server without MCP, for the account of the time.
  else if (request.url === "/bare") request.resume().on("end", () => response.end("{}"));
  else void serveMcp(request, response);
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`);
});
