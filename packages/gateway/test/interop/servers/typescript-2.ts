// The official TypeScript SDK, version 2.

import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const VIEW = "ui://interop/view.html";
const cancelled: string[] = [];
const text = (text: string) => ({ content: [{ type: "text" as const, text }] });
const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

function build(): McpServer {
  const server = new McpServer(
    { name: "interop", version: "1.0.0" },
    { capabilities: { extensions: { "io.modelcontextprotocol/ui": {} } } },
  );
  server.registerTool(
    "show",
    { inputSchema: z.object({ text: z.string() }), _meta: { ui: { resourceUri: VIEW } } },
    ({ text: shown }) => text(shown),
  );
  server.registerTool("count", { inputSchema: z.object({}) }, async (_given, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= 3; progress++) {
      const params = { progressToken, progress, total: 3 };
      if (progressToken !== undefined)
        await mcpReq.notify({ method: "notifications/progress", params });
      await pause(50);
    }
    return text("counted");
  });
  server.registerTool(
    "wait",
    { inputSchema: z.object({ id: z.string() }) },
    async ({ id }, { mcpReq }) => {
      const params = { progressToken: mcpReq._meta?.progressToken, progress: 1, total: 2 };
      await mcpReq.notify({ method: "notifications/progress", params });
      await new Promise((resolve) => mcpReq.signal.addEventListener("abort", resolve));
      cancelled.push(id);
      return text("cancelled");
    },
  );
  server.registerTool("cancelled", { inputSchema: z.object({}) }, () =>
    text(JSON.stringify(cancelled)),
  );
  server.registerResource(
    "view",
    VIEW,
    { mimeType: "text/html;profile=mcp-app" },
    ({ href: uri }) => ({
      contents: [
        {
          uri,
          mimeType: "text/html;profile=mcp-app",
          text: "<!doctype html><title>interop</title>",
          _meta: { ui: { prefersBorder: true } },
        },
      ],
    }),
  );
  return server;
}

const [way, port] = process.argv.slice(2);
if (way === "stdio") serveStdio(build);
else {
  const handler = createMcpHandler(build);
  createServer(getRequestListener((request) => handler.fetch(request))).listen(
    Number(port),
    "127.0.0.1",
  );
}
