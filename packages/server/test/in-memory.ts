// Servers of both SDKs in this process, for tests of their results rather than of the transport.

import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
  InMemoryTransport as InMemory2,
} from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as InMemory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createMcpHandler, McpServer as McpServer2 } from "@modelcontextprotocol/server";
import type { AppServer, ServerWarning } from "@vitrine/server";
import type { AnyClient } from "./wires.ts";

const info = { name: "test", version: "1.0.0" };

/** A kind of server that a test can set up and connect to. */
export interface ServerKind {
  title: string;
  /** Sets a server up and connects a client to it. */
  connect(setUp: (server: AppServer) => void, client?: { name: string }): Promise<AnyClient>;
}

export const SERVERS: readonly ServerKind[] = [
  {
    title: "server 2.4, 2026-07-28",
    async connect(setUp, named) {
      const { fetch } = createMcpHandler(() => {
        const server = new McpServer2(info);
        setUp(server);
        return server;
      });
      const client = new Client2({ ...info, ...named }, { versionNegotiation: { mode: "auto" } });
      await client.connect(
        new Http2(new URL("http://server.test/mcp"), {
          fetch: (url, init) => fetch(new Request(url, init)),
        }),
      );
      return client;
    },
  },
  {
    title: "server 2.4, 2025-11-25",
    async connect(setUp, named) {
      const server = new McpServer2(info);
      setUp(server);
      const client = new Client2({ ...info, ...named });
      const [here, there] = InMemory2.createLinkedPair();
      await Promise.all([server.connect(there), client.connect(here)]);
      return client;
    },
  },
  {
    title: "server 1.32",
    async connect(setUp, named) {
      const server = new McpServer1(info);
      setUp(server);
      const client = new Client1({ ...info, ...named });
      const [here, there] = InMemory1.createLinkedPair();
      await Promise.all([server.connect(there), client.connect(here)]);
      return client as unknown as AnyClient;
    },
  },
];

/** A server of SDK v2 that nobody connects to. */
export function unconnected(): McpServer2 {
  return new McpServer2(info);
}

/** Collects warnings. */
export function collected(): { warnings: ServerWarning[]; warn(warning: ServerWarning): void } {
  const warnings: ServerWarning[] = [];
  return { warnings, warn: (warning) => warnings.push(warning) };
}
