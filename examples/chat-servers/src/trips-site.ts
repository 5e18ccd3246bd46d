// Streamable HTTP for both generations of clients: stateless for 2026-07-28, and with sessions before,
// because only a session lets an older client cancel a call.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

/** A server at an address. */
export interface Site {
  url: string;
  close(): Promise<void>;
}

/** Serves what `build` returns, on a free port by default. */
export async function serveTrips(
  build: () => McpServer,
  { port = 0 }: { port?: number } = {},
): Promise<Site> {
  const modern = createMcpHandler(build, { legacy: "reject" });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const handler = {
    async fetch(request: Request): Promise<Response> {
      if (!(await isLegacyRequest(request))) return modern.fetch(request);
      const id = request.headers.get("mcp-session-id");
      const known = id === null ? await open() : sessions.get(id);
      if (!known) return Response.json({ error: "unknown session" }, { status: 404 });
      return known.handleRequest(request);
    },
  };
  async function open(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await build().connect(transport);
    return transport;
  }

  const answer = toNodeHandler(handler);
  const checks = [localhostHostValidation(), localhostOriginValidation()];
  const http = createServer((request, response) => {
    if (checks.every((check) => check(request, response))) void answer(request as never, response);
  });
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async close() {
      await modern.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
