import { spawn } from "node:child_process";
import { once } from "node:events";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { InMemoryTransport as InMemory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ReadResourceRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { type AppServer, checkApps, registerAppResource, registerAppTool } from "@vitrine/server";
import { describe, expect, test } from "vitest";
import { collected } from "./in-memory.ts";
import { program } from "./wires.ts";

const info = { name: "test", version: "1.0.0" };
const URI = "ui://shop/cart.html";
const MISSING = /Tool "show" is shown by ui:\/\/shop\/cart\.html, which this server doesn't have/;
const quiet = { warn: () => {} };
const read = () => ({ contents: [{ uri: URI, text: "<!doctype html>" }] });

function addTool(server: AppServer): void {
  const _meta = { ui: { resourceUri: URI } };
  registerAppTool(server, "show", { _meta }, () => ({ text: "a" }), quiet);
}
function addResource(server: AppServer): void {
  registerAppResource(server, "Cart", URI, {}, read, quiet);
}

describe("a tool whose View is not on the server", () => {
  test("keeps a server of SDK v2 from connecting (SRV-05)", async () => {
    const server = new McpServer(info);
    addTool(server);
    const [transport] = InMemoryTransport.createLinkedPair();
    await expect(server.connect(transport)).rejects.toThrow(MISSING);
    expect(server.isConnected()).toBe(false);
  });

  test("keeps a server of SDK v1 from connecting (SRV-05)", async () => {
    const server = new McpServer1(info);
    addTool(server);
    const [transport] = InMemory1.createLinkedPair();
    await expect(server.connect(transport)).rejects.toThrow(MISSING);
    expect(server.isConnected()).toBe(false);
  });

  test.each(["2026-07-28", "2025-11-25"])(
    "makes a handler that builds its servers fail every request of %s, and say why to its owner (SRV-05)",
    async (version) => {
      const errors: Error[] = [];
      const build = () => {
        const server = new McpServer(info);
        addTool(server);
        return server;
      };
      const handler = createMcpHandler(build, { onerror: (error) => errors.push(error) });
      const envelope = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const isModern = version === "2026-07-28";
      const response = await handler.fetch(
        new Request("http://server.test/mcp", {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-protocol-version": version,
            "mcp-method": "tools/list",
          },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "tools/list",
            params: isModern ? { _meta: envelope } : {},
          }),
        }),
      );
      expect(response.status).toBe(500);
      expect(errors).toMatchObject([{ code: "dangling-resource" }]);
      expect(() => checkApps(build())).toThrow(MISSING);
    },
  );

  test("keeps serveStdio from answering, and the reason is on stderr (SRV-05)", async () => {
    const { command, args } = program("dangling");
    const env = { ...process.env, NODE_ENV: "production" };
    const flags = args.filter((flag) => flag !== "--no-warnings");
    const child = spawn(command, flags, { env, stdio: ["pipe", "pipe", "pipe"] });
    const said: Record<"stdout" | "stderr", string> = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk) => {
      said.stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      said.stderr += chunk;
    });
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: info,
    };
    child.stdin.end(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    await once(child, "close");
    expect(said.stdout).not.toContain('"result"');
    expect(said.stderr).toMatch(MISSING);
  }, 30_000);

  test("is found by whatever way the tool was registered (SRV-05)", () => {
    const server = new McpServer(info);
    server.registerTool("show", { _meta: { ui: { resourceUri: URI } } }, () => ({ content: [] }));
    expect(() => checkApps(server)).toThrow(MISSING);
  });

  test("on a connected server has to be there first (SRV-05)", async () => {
    for (const order of ["tool", "resource"]) {
      const server = new McpServer(info, { capabilities: { tools: {}, resources: {} } });
      const client = new Client(info);
      const [here, there] = InMemoryTransport.createLinkedPair();
      await Promise.all([server.connect(there), client.connect(here)]);
      if (order === "resource") addResource(server);
      if (order === "tool") expect(() => addTool(server)).toThrow(MISSING);
      else expect(() => addTool(server)).not.toThrow();
      await client.close();
    }
  });
});

describe("a View counts as there", () => {
  const built = (setUp: (server: McpServer) => void): McpServer => {
    const server = new McpServer(info);
    setUp(server);
    return server;
  };

  test("whichever of the two was registered first", () => {
    expect(() => checkApps(built((s) => [addTool(s), addResource(s)]))).not.toThrow();
    expect(() => checkApps(built((s) => [addResource(s), addTool(s)]))).not.toThrow();
  });

  test("when the SDK alone registered it, under its address or a template of it", () => {
    const plain = built((server) => {
      addTool(server);
      server.registerResource("Cart", URI, {}, read);
    });
    const template = built((server) => {
      addTool(server);
      const pages = new ResourceTemplate("ui://shop/{page}", { list: undefined });
      server.registerResource("Pages", pages, {}, read);
    });
    expect(() => checkApps(plain)).not.toThrow();
    expect(() => checkApps(template)).not.toThrow();
  });

  test("when the author answers reads by a handler of their own", () => {
    const own = new McpServer(info, { capabilities: { resources: {} } });
    addTool(own);
    expect(() => checkApps(own)).toThrow(MISSING);
    const low = new McpServer(info);
    addTool(low);
    low.server.registerCapabilities({ resources: {} });
    low.server.setRequestHandler("resources/read", read);
    expect(() => checkApps(low)).not.toThrow();
    const low1 = new McpServer1(info);
    addTool(low1);
    low1.server.registerCapabilities({ resources: {} });
    low1.server.setRequestHandler(ReadResourceRequestSchema, read);
    expect(() => checkApps(low1)).not.toThrow();
  });

  test("until it is removed, or the tool is", () => {
    const server = new McpServer(info);
    const resource = registerAppResource(server, "Cart", URI, {}, read, quiet);
    const _meta = { ui: { resourceUri: URI } };
    const tool = registerAppTool(server, "show", { _meta }, () => ({ text: "a" }), quiet);
    resource.remove();
    expect(() => checkApps(server)).toThrow(MISSING);
    tool.disable();
    expect(() => checkApps(server)).not.toThrow();
    tool.enable();
    tool.remove();
    expect(() => checkApps(server)).not.toThrow();
  });

  test("on a server of which only the two functions are known", () => {
    const server = { registerTool: () => ({}), registerResource: () => ({}) };
    addTool(server);
    expect(() => checkApps(server)).toThrow(MISSING);
    addResource(server);
    expect(() => checkApps(server)).not.toThrow();
  });
});

describe("the extension", () => {
  test("is advertised once, next to the server's own extensions (SRV-20)", () => {
    const server = new McpServer(info, {
      capabilities: { extensions: { "com.example/mine": { a: 1 } } },
    });
    addResource(server);
    addTool(server);
    expect(server.server.getCapabilities().extensions).toEqual({
      "com.example/mine": { a: 1 },
      "io.modelcontextprotocol/ui": {},
    });
  });

  test("cannot be advertised to those who are connected, and that is warned of (SRV-20)", async () => {
    const { warnings, warn } = collected();
    const server = new McpServer(info, { capabilities: { resources: {} } });
    await server.connect(InMemoryTransport.createLinkedPair()[0]);
    registerAppResource(server, "Cart", URI, {}, read, { warn });
    expect(warnings.map(({ code }) => code)).toContain("extension-unsaid");
  });
});
