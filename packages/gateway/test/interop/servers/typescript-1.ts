// The official TypeScript SDK, version 1: sessions over Streamable HTTP, and the transport from before it.

import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import express from "express";
import { z } from "zod";

const VIEW = "ui://interop/view.html";
const cancelled: string[] = [];
const text = (text: string) => ({ content: [{ type: "text" as const, text }] });
const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

function build(): McpServer {
  const server = new McpServer({ name: "interop", version: "1.0.0" });
  server.registerTool(
    "show",
    { inputSchema: { text: z.string() }, _meta: { ui: { resourceUri: VIEW } } },
    ({ text: shown }) => text(shown),
  );
  server.registerTool("count", { inputSchema: {} }, async (_given, extra) => {
    const progressToken = extra._meta?.progressToken;
    for (let progress = 1; progress <= 3; progress++) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 3 };
        await extra.sendNotification({ method: "notifications/progress", params });
      }
      await pause(50);
    }
    return text("counted");
  });
  server.registerTool("wait", { inputSchema: { id: z.string() } }, async ({ id }, extra) => {
    const progressToken = extra._meta?.progressToken ?? 0;
    const params = { progressToken, progress: 1, total: 2 };
    await extra.sendNotification({ method: "notifications/progress", params });
    await new Promise((resolve) => extra.signal.addEventListener("abort", resolve));
    cancelled.push(id);
    return text("cancelled");
  });
  server.registerTool("cancelled", { inputSchema: {} }, () => text(JSON.stringify(cancelled)));
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

function serveHttp(port: number): void {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const app = express();
  app.all("/mcp", async (request, response) => {
    const id = request.headers["mcp-session-id"];
    let transport = sessions.get(`${id}`);
    if (id !== undefined && !transport) return void response.status(404).end();
    if (!transport) {
      const opened = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => void sessions.set(session, opened),
        onsessionclosed: (session) => void sessions.delete(session),
      });
      await build().connect(opened);
      transport = opened;
    }
    await transport.handleRequest(request, response);
  });
  app.listen(port, "127.0.0.1");
}

function serveSse(port: number): void {
  const sessions = new Map<string, SSEServerTransport>();
  const app = express();
  app.get("/sse", async (_request, response) => {
    const transport = new SSEServerTransport("/messages", response);
    sessions.set(transport.sessionId, transport);
    response.on("close", () => sessions.delete(transport.sessionId));
    await build().connect(transport);
  });
  app.post("/messages", async (request, response) => {
    const transport = sessions.get(`${request.query.sessionId}`);
    if (transport) await transport.handlePostMessage(request, response);
    else response.status(404).end();
  });
  app.listen(port, "127.0.0.1");
}

const [way, port] = process.argv.slice(2);
if (way === "stdio") await build().connect(new StdioServerTransport());
else if (way === "sse") serveSse(Number(port));
else serveHttp(Number(port));
