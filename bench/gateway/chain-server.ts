// The server at the end of both chains: official SDK v2 over stdio, one tool that returns its argument.

import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const MIME = "text/html;profile=mcp-app";
const inputSchema = z.object({ city: z.string(), days: z.number() });

serveStdio(() => {
  const server = new McpServer({ name: "chain", version: "1.0.0" });
  const annotations = { readOnlyHint: true };
  server.registerTool("echo", { inputSchema, annotations }, (given) => ({
    content: [{ type: "text", text: JSON.stringify(given) }],
    structuredContent: given,
  }));
  server.registerResource("view", "ui://chain/view.html", { mimeType: MIME }, ({ href: uri }) => ({
    contents: [{ uri, mimeType: MIME, text: "<!doctype html><title>Chain</title>" }],
  }));
  return server;
});
