// Starts both servers as a user would and calls them with every official client.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const info = { name: "check", version: "1.0.0" };
// With the flags this was started with, such as those for the sources instead of the build.
const start = (name) => [...process.execArgv, path(name)];
const stdio = { command: process.execPath, args: start("server.mjs"), stderr: "inherit" };

const http = spawn(process.execPath, [...start("http.mjs"), "0"], {
  stdio: ["ignore", "pipe", "inherit"],
});
const [printed] = await once(http.stdout, "data");
const url = new URL(String(printed).trim());

const client = (mode) => new Client(info, { versionNegotiation: { mode } });
const ways = {
  "client 2.4, stdio, 2026-07-28": [client("auto"), new StdioClientTransport(stdio)],
  "client 2.4, stdio, 2025-11-25": [client("legacy"), new StdioClientTransport(stdio)],
  "client 1.32, stdio, 2025-11-25": [new Client1(info), new Stdio1(stdio)],
  "client 2.4, HTTP, 2026-07-28": [client("auto"), new StreamableHTTPClientTransport(url)],
  "client 2.4, HTTP, 2025-11-25": [client("legacy"), new StreamableHTTPClientTransport(url)],
  "client 1.32, HTTP, 2025-11-25": [new Client1(info), new Http1(url)],
};

try {
  for (const [way, [mcp, transport]] of Object.entries(ways)) {
    await mcp.connect(transport);
    assert.ok(mcp.getServerCapabilities().extensions["io.modelcontextprotocol/ui"], way);
    const [tool] = (await mcp.listTools()).tools;
    const uri = tool._meta.ui.resourceUri;
    assert.equal(tool._meta["ui/resourceUri"], uri);
    const [view] = (await mcp.readResource({ uri })).contents;
    assert.equal(view.mimeType, "text/html;profile=mcp-app");
    assert.match(view.text, /^<!doctype html>/i);
    const { content, structuredContent } = await mcp.callTool({ name: tool.name });
    assert.ok(structuredContent.eyes >= 1 && structuredContent.eyes <= 6);
    assert.match(content[0].text, new RegExp(`: ${structuredContent.eyes}$`, "m"));
    await mcp.close();
    console.log(`ten-lines: ${way}: ${uri}, ${JSON.stringify(structuredContent)}`);
  }
} finally {
  http.kill();
}
