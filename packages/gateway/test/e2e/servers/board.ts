// A server with a View, as a program: `board.ts <name> <file of the View>`.

import { readFileSync } from "node:fs";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [name = "board", file = ""] = process.argv.slice(2);
const VIEW = "ui://board/view.html";
const MIME = "text/html;profile=mcp-app";
const notes: string[] = [];
const text = (text: string) => ({ content: [{ type: "text" as const, text }] });

serveStdio(() => {
  const server = new McpServer(
    { name: "board", version: "1.0.0" },
    { capabilities: { extensions: { "io.modelcontextprotocol/ui": {} } } },
  );
  const none = z.object({});
  server.registerTool(
    "show",
    {
      inputSchema: none,
      annotations: { readOnlyHint: true },
      _meta: { ui: { resourceUri: VIEW } },
    },
    () => text(`${name} is shown`),
  );
  server.registerTool("add", { inputSchema: z.object({ note: z.string() }) }, ({ note }) => {
    notes.push(note);
    return {
      ...text(notes.join()),
      structuredContent: { board: name, process: process.pid, notes },
    };
  });
  server.registerTool(
    "count",
    { inputSchema: none, annotations: { readOnlyHint: true } },
    async (_given, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= 3; progress++) {
        const params = { progressToken, progress, total: 3 };
        if (progressToken !== undefined) {
          await mcpReq.notify({ method: "notifications/progress", params });
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return text("counted");
    },
  );
  server.registerTool(
    "hidden",
    { inputSchema: none, _meta: { ui: { visibility: ["model"] } } },
    () => text("for the model alone"),
  );
  server.registerTool("stir", { inputSchema: none, annotations: { readOnlyHint: true } }, () => {
    // The SDK tells its clients by itself, of both; the list is the one from before.
    server.registerTool("short-lived", { inputSchema: none }, () => text("gone")).remove();
    return text("stirred");
  });
  server.registerResource("view", VIEW, { mimeType: MIME }, ({ href: uri }) => ({
    contents: [{ uri, mimeType: MIME, text: readFileSync(file, "utf8") }],
  }));
  server.registerResource(
    "notes",
    "board://notes",
    { mimeType: "application/json" },
    ({ href: uri }) => ({
      contents: [{ uri, mimeType: "application/json", text: JSON.stringify(notes) }],
    }),
  );
  server.registerResource(
    "note",
    new ResourceTemplate("board://note/{id}", { list: undefined }),
    {},
    ({ href: uri }, { id }) => ({ contents: [{ uri, text: notes[Number(id)] ?? "" }] }),
  );
  server.registerPrompt("summary", { description: "Sums the notes up" }, () => ({
    messages: [{ role: "user", content: { type: "text", text: notes.join() } }],
  }));
  return server;
});
