// The weather station behind real servers of both generations of the official SDK.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Server as Server1 } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import {
  createMcpHandler,
  ProtocolError,
  Server as Server2,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type StationList, WeatherStation } from "./weather-station.ts";

/** A server at an address. */
export interface ServedStation extends AsyncDisposable {
  url: URL;
  station: WeatherStation;
  /** Capabilities that clients named, one for each time they did. */
  clients: unknown[];
  /** Breaks every open connection. */
  drop(): void;
}

const info = { name: "station", version: "1.0.0" };
const options = {
  capabilities: {
    tools: { listChanged: true },
    resources: { listChanged: true },
    prompts: { listChanged: true },
    extensions: { "io.modelcontextprotocol/ui": {} },
  },
};

/** The station behind a `Server` of SDK v1. */
export function stationServer1(): { server: Server1; station: WeatherStation } {
  const server = new Server1(info, options);
  const station = new WeatherStation(({ code, message, data }) => {
    // Its constructor puts the code before the message; what travels should be the message.
    return Object.assign(new McpError(code, message, data), { message });
  });
  const change = (list: StationList) =>
    server.notification({ method: `notifications/${list}/list_changed` });
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    const progressToken = extra._meta?.progressToken;
    return station.callTool(params, {
      signal: extra.signal,
      progress: async (progress) => {
        if (progressToken === undefined) return;
        const params = { ...progress, progressToken };
        await extra.sendNotification({ method: "notifications/progress", params });
      },
      change,
    }) as never;
  });
  server.setRequestHandler(
    ListToolsRequestSchema,
    ({ params }) => station.listTools(params) as never,
  );
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => station.readResource(params));
  server.setRequestHandler(ListResourcesRequestSchema, () => station.listResources());
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () =>
    station.listResourceTemplates(),
  );
  server.setRequestHandler(ListPromptsRequestSchema, () => station.listPrompts());
  return { server, station };
}

/** The station of SDK v1 behind Streamable HTTP with sessions, 2025-11-25. */
export async function serveStation1(): Promise<ServedStation> {
  const { server, station } = stationServer1();
  const clients: unknown[] = [];
  server.oninitialized = () => clients.push(server.getClientCapabilities());
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
  });
  await server.connect(transport);
  return listen((request) => transport.handleRequest(request), { station, clients });
}

/** Wires the station into a `Server` of SDK v2; `change` sets how its clients are notified. */
export function stationServer2(
  station: WeatherStation,
  { clients = [], change }: { clients?: unknown[]; change?(list: StationList): unknown } = {},
): Server2 {
  const server = new Server2(info, options);
  const tell =
    change ?? ((list) => server.notification({ method: `notifications/${list}/list_changed` }));
  const note = ({ mcpReq }: ServerContext): void => {
    const envelope = mcpReq.envelope as Record<string, unknown> | undefined;
    clients.push(
      envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? server.getClientCapabilities(),
    );
  };
  server.setRequestHandler("tools/call", ({ params }, context) => {
    note(context);
    const { mcpReq } = context;
    const progressToken = mcpReq._meta?.progressToken;
    return station.callTool(params as never, {
      signal: mcpReq.signal,
      progress: async (progress) => {
        if (progressToken === undefined) return;
        const params = { ...progress, progressToken };
        await mcpReq.notify({ method: "notifications/progress", params });
      },
      change: tell,
    }) as never;
  });
  server.setRequestHandler("tools/list", ({ params }) => station.listTools(params) as never);
  server.setRequestHandler("resources/read", ({ params }) => station.readResource(params) as never);
  server.setRequestHandler("resources/list", () => station.listResources() as never);
  server.setRequestHandler(
    "resources/templates/list",
    () => station.listResourceTemplates() as never,
  );
  server.setRequestHandler("prompts/list", () => station.listPrompts() as never);
  return server;
}

/** A station whose errors a `Server` of SDK v2 relays. */
export function station2(): WeatherStation {
  return new WeatherStation(({ code, message, data }) => new ProtocolError(code, message, data));
}

/** The station of SDK v2 behind stateless Streamable HTTP, 2026-07-28 (and 2025-11-25 without sessions). */
export async function serveStation2(): Promise<ServedStation> {
  const station = station2();
  const clients: unknown[] = [];
  const change = (list: StationList): void => handler.notify[`${list}Changed`]();
  const handler = createMcpHandler(() => stationServer2(station, { clients, change }));
  return listen(
    (request) => handler.fetch(request),
    { station, clients },
    () => handler.close(),
  );
}

async function listen(
  answer: (request: Request) => Promise<Response>,
  served: Pick<ServedStation, "station" | "clients">,
  close?: () => Promise<void>,
): Promise<ServedStation> {
  const http = createServer(getRequestListener(answer));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return {
    ...served,
    drop: () => http.closeAllConnections(),
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    async [Symbol.asyncDispose]() {
      await close?.();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
