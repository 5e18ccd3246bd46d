// Real wires: each generation of the official SDK on either side, Streamable HTTP and stdio, with the
// handshake of 2025-11-25 and without one as in 2026-07-28.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { getRequestListener } from "@hono/node-server";
import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { createMcpHandler, type McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { EXTENSION_ID, RESOURCE_MIME_TYPE } from "@vitrine/server";
import { build1, build2 } from "./weather-app.ts";

/** Either client, by what tests use of both. */
export type AnyClient = Pick<
  Client2,
  "listTools" | "listResources" | "readResource" | "callTool" | "getServerCapabilities" | "close"
>;

/** A way from a client to the weather server. */
export interface Wire {
  title: string;
  era: "modern" | "legacy";
  /** Whether a handler can detect that the client shows Views. */
  knows: "shown" | "unknown";
  open(options?: { ui?: boolean }): Promise<AnyClient>;
}

/** A server at an address. */
export interface Served extends AsyncDisposable {
  url: URL;
}

type Answer = (request: Request) => Promise<Response>;

/** Serves a `fetch` handler on a port of its own. */
export async function listen(answer: Answer, close?: () => Promise<void>): Promise<Served> {
  const http = createServer(getRequestListener(answer));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    async [Symbol.asyncDispose]() {
      await close?.();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** A server of SDK v2, built for each request. */
export function serve2(build: () => McpServer2): Promise<Served> {
  const handler = createMcpHandler(build);
  return listen(
    (request) => handler.fetch(request),
    () => handler.close(),
  );
}

/** A server of SDK v1 with one session. */
export async function serve1(build: () => McpServer1): Promise<Served> {
  const sessionIdGenerator = (): string => crypto.randomUUID();
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator });
  await build().connect(transport as never);
  return listen((request) => transport.handleRequest(request));
}

const info = { name: "test", version: "1.0.0" };

/** Capabilities of a client that shows Views, or of one that doesn't support them. */
export function capabilities(ui: boolean): object {
  return ui ? { extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } } } : {};
}

/** A client of SDK v2. */
export function client2({ ui = true, mode = "auto" as "auto" | "legacy" } = {}): Client2 {
  return new Client2(info, { capabilities: capabilities(ui), versionNegotiation: { mode } });
}

/** A client of SDK v1. */
export function client1({ ui = true } = {}): Client1 {
  return new Client1(info, { capabilities: capabilities(ui) });
}

/** How a TypeScript program of this repository is started. */
export function program(name: string): { command: string; args: string[] } {
  const flags = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];
  const path = fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url));
  return { command: process.execPath, args: [...flags, path] };
}

async function overHttp(
  served: Promise<Served>,
  connect: (url: URL) => Promise<AnyClient>,
): Promise<AnyClient> {
  const { url, [Symbol.asyncDispose]: dispose } = await served;
  const client = await connect(url);
  const close = client.close.bind(client);
  client.close = async () => {
    await close();
    await dispose();
  };
  return client;
}

const http2 = (options: Parameters<typeof client2>[0]) => async (url: URL) => {
  const client = client2(options);
  await client.connect(new Http2(url));
  return client;
};
const http1 = (options: Parameters<typeof client1>[0]) => async (url: URL) => {
  const client = client1(options);
  await client.connect(new Http1(url) as never);
  return client as unknown as AnyClient;
};

export const WIRES: readonly Wire[] = [
  {
    title: "client 2.4, server 2.4, HTTP, 2026-07-28",
    era: "modern",
    knows: "shown",
    open: (options) => overHttp(serve2(build2), http2({ ...options, mode: "auto" })),
  },
  {
    title: "client 2.4, server 2.4, HTTP, 2025-11-25 without sessions",
    era: "legacy",
    knows: "unknown",
    open: (options) => overHttp(serve2(build2), http2({ ...options, mode: "legacy" })),
  },
  {
    title: "client 1.32, server 2.4, HTTP, 2025-11-25 without sessions",
    era: "legacy",
    knows: "unknown",
    open: (options) => overHttp(serve2(build2), http1(options)),
  },
  {
    title: "client 1.32, server 1.32, HTTP, 2025-11-25 with a session",
    era: "legacy",
    knows: "shown",
    open: (options) => overHttp(serve1(build1), http1(options)),
  },
  {
    title: "client 2.4, server 1.32, HTTP, 2025-11-25 with a session",
    era: "legacy",
    knows: "shown",
    open: (options) => overHttp(serve1(build1), http2({ ...options, mode: "auto" })),
  },
  {
    title: "client 2.4, server 2.4, stdio, 2026-07-28",
    era: "modern",
    knows: "shown",
    open: async (options) => {
      const client = client2({ ...options, mode: "auto" });
      await client.connect(new Stdio2(program("stdio-2")));
      return client;
    },
  },
  {
    title: "client 1.32, server 2.4, stdio, 2025-11-25",
    era: "legacy",
    knows: "shown",
    open: async (options) => {
      const client = client1(options);
      await client.connect(new Stdio1(program("stdio-2")));
      return client as unknown as AnyClient;
    },
  },
  {
    title: "client 1.32, server 1.32, stdio, 2025-11-25",
    era: "legacy",
    knows: "shown",
    open: async (options) => {
      const client = client1(options);
      await client.connect(new Stdio1(program("stdio-1")));
      return client as unknown as AnyClient;
    },
  },
];
