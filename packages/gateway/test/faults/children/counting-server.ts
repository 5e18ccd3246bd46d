// A server of the official SDK that logs each call to a file before it executes it, so that a test can count
// executions. `counting-server.ts <journal>`.

import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [journal = ""] = process.argv.slice(2);
const MIME = "text/html;profile=mcp-app";
let made = 0;

serveStdio(() => {
  const server = new McpServer({ name: "counter", version: "1.0.0" });
  const inputSchema = z.object({
    call: z.string(),
    /** Milliseconds that it takes, and letters that the answer has. */
    wait: z.number().optional(),
    size: z.number().optional(),
  });
  const count = async ({ call, wait = 0, size = 0 }: z.infer<typeof inputSchema>) => {
    // One write to a file that is opened for appending: whole, also if this process is killed.
    appendFileSync(journal, `${process.pid} ${call}\n`);
    made += 1;
    if (wait > 0) await sleep(wait);
    const content = size > 0 ? [{ type: "text" as const, text: "x".repeat(size) }] : [];
    return { content, structuredContent: { call, made, process: process.pid } };
  };
  // It does not say that it only reads, so it needs the user's word.
  server.registerTool("count", { inputSchema }, count);
  server.registerTool("look", { inputSchema, annotations: { readOnlyHint: true } }, count);
  server.registerResource(
    "view",
    "ui://counter/view.html",
    { mimeType: MIME },
    ({ href: uri }) => ({
      contents: [{ uri, mimeType: MIME, text: "<!doctype html><title>Counter</title>" }],
    }),
  );
  return server;
});
