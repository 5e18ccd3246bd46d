// Servers of SDK v1 with one instance for each session, as the SDK's documentation recommends.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

/** Sessions at an address. */
export interface ServedSessions extends AsyncDisposable {
  url: URL;
  port: number;
  /** Sessions that were opened, in all. */
  opened: number;
  /** Ids of sessions that were ended by their client. */
  ended: string[];
  /** Forgets all sessions, as a restart does. */
  forget(): void;
  /** Breaks every open connection. */
  drop(): void;
}

/** How the sessions are served. */
export interface SessionOptions {
  /** Answers as JSON instead of streams. */
  json?: boolean;
  /** The status for a session that is not known; some servers say 400. */
  unknown?: 404 | 400;
}

/** Streamable HTTP with sessions, 2025-11-25. */
export function serveSessions(
  build: () => Server,
  { json = false, unknown = 404 }: SessionOptions = {},
): Promise<ServedSessions> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  return listen({
    forget: () => transports.clear(),
    async handle(request, response, served) {
      const id = request.headers["mcp-session-id"];
      const known = transports.get(`${id}`);
      if (known) return known.handleRequest(request, response);
      if (id !== undefined) {
        const error = { code: -32000, message: "Bad Request: No valid session ID provided" };
        response.writeHead(unknown, { "content-type": "application/json" });
        return response.end(JSON.stringify({ jsonrpc: "2.0", error, id: null }));
      }
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        enableJsonResponse: json,
        onsessioninitialized: (session) => {
          served.opened++;
          transports.set(session, transport);
        },
        onsessionclosed: (session) => {
          served.ended.push(session);
          transports.delete(session);
        },
      });
      await build().connect(transport as never);
      return transport.handleRequest(request, response);
    },
  });
}

/** HTTP+SSE of 2024-11-05. */
export function serveSse(build: () => Server): Promise<ServedSessions> {
  const transports = new Map<string, SSEServerTransport>();
  return listen({
    forget: () => transports.clear(),
    async handle(request, response, served) {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
      if (request.method === "GET" && pathname === "/mcp") {
        const transport = new SSEServerTransport("/messages", response);
        transports.set(transport.sessionId, transport);
        served.opened++;
        transport.onclose = () => {
          served.ended.push(transport.sessionId);
          transports.delete(transport.sessionId);
        };
        return build().connect(transport);
      }
      const known = transports.get(searchParams.get("sessionId") ?? "");
      if (request.method === "POST" && pathname === "/messages" && known) {
        return known.handlePostMessage(request, response);
      }
      return response.writeHead(pathname === "/mcp" ? 405 : 404).end();
    },
  });
}

interface Site {
  forget(): void;
  handle(request: IncomingMessage, response: ServerResponse, served: ServedSessions): unknown;
}

async function listen(site: Site): Promise<ServedSessions> {
  const http = createServer((request, response) => void site.handle(request, response, served));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const served: ServedSessions = {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    port,
    opened: 0,
    ended: [],
    forget: site.forget,
    drop: () => http.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return served;
}
