import { fileURLToPath } from "node:url";
import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
  InMemoryTransport as InMemory2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport as InMemory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import {
  type ServedStation,
  serveStation1,
  serveStation2,
  station2,
  stationServer1,
  stationServer2,
} from "@vitrine/internal/station-servers";
import { type OpenUpstream, testUpstream } from "@vitrine/internal/upstream-contract";
import { WeatherStation } from "@vitrine/internal/weather-station";
import { RpcError } from "@vitrine/protocol";
import { afterAll, expect } from "vitest";
import { callbacksUpstream } from "../src/upstreams/callbacks.ts";
import { mcpClientUpstream } from "../src/upstreams/mcp-client.ts";
import type { McpClientLike } from "../src/upstreams/official-client.ts";
import type { ListName } from "../src/upstreams/upstream.ts";

const info = { name: "host", version: "1.0.0" };
const auto = { versionNegotiation: { mode: "auto" } } as const;

function open(
  client: McpClientLike & { close(): Promise<void> },
  served?: ServedStation,
): OpenUpstream {
  return {
    upstream: mcpClientUpstream(client, { server: "ours" }),
    dispose: async () => {
      await client.close();
      await served?.[Symbol.asyncDispose]();
    },
  };
}

testUpstream("client v2, server v2, Streamable HTTP of 2026-07-28", async () => {
  const served = await serveStation2();
  const client = new Client2(info, auto);
  await client.connect(new Http2(served.url));
  expect(client.getProtocolEra()).toBe("modern");
  return open(client, served);
});

// A process is slow to start, and the client starts another one to find out the era.
const stdio = new Client2(info, auto);
let isStarted: Promise<void> | undefined;
afterAll(() => stdio.close());

testUpstream("client v2, server v2, stdio of 2026-07-28", async () => {
  const program = fileURLToPath(import.meta.resolve("@vitrine/internal/station-stdio"));
  const flags = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];
  const args = [...flags, program];
  isStarted ??= stdio.connect(new StdioClientTransport({ command: process.execPath, args }));
  await isStarted;
  expect(stdio.getProtocolEra()).toBe("modern");
  return { upstream: mcpClientUpstream(stdio, { server: "ours" }) };
});

testUpstream("client v2, server v2, in memory, 2025-11-25", async () => {
  const client = new Client2(info);
  const [here, there] = InMemory2.createLinkedPair();
  await Promise.all([stationServer2(station2()).connect(there), client.connect(here)]);
  return open(client);
});

testUpstream("client v2, server v1, Streamable HTTP with a session", async () => {
  const served = await serveStation1();
  const client = new Client2(info, auto);
  await client.connect(new Http2(served.url));
  expect(client.getProtocolEra()).toBe("legacy");
  return open(client, served);
});

testUpstream("client v1, server v1, Streamable HTTP with a session", async () => {
  const served = await serveStation1();
  const client = new Client1(info);
  await client.connect(new Http1(served.url) as never);
  return open(client, served);
});

testUpstream("client v1, server v1, in memory", async () => {
  const client = new Client1(info);
  const [here, there] = InMemory1.createLinkedPair();
  await Promise.all([stationServer1().server.connect(there), client.connect(here)]);
  return open(client);
});

testUpstream("callbacks", () => {
  const listeners = new Set<(list: ListName) => void>();
  const station = new WeatherStation(
    ({ code, message, data }) => new RpcError(code, message, data),
  );
  const upstream = callbacksUpstream({
    server: "ours",
    callTool: (params, { signal, onprogress }) =>
      station.callTool(params, {
        signal: signal ?? new AbortController().signal,
        progress: (progress) => onprogress?.(progress),
        change: (list) => {
          for (const listener of listeners) listener(list);
        },
      }),
    listTools: (params) => station.listTools(params),
    readResource: (params) => station.readResource(params),
    listResources: () => station.listResources(),
    listResourceTemplates: () => station.listResourceTemplates(),
    listPrompts: () => station.listPrompts(),
    onListChanged: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  return { upstream };
});
