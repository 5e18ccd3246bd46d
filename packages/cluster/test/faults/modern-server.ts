// A server of 2026-07-28 over HTTP, without sessions, that counts its calls, and fails on request.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Fault } from "./fault.ts";

/** How a server fails; except with `404`, it carries the call out first. */
export type Failing = "reset" | "hang" | "500" | "404";

/** The running server. */
export interface ModernServer {
  readonly url: string;
  /** Calls in the order in which they were carried out. */
  readonly calls: string[];
  /** Calls that arrived, carried out or not. */
  readonly arrived: number;
  /** How it fails calls at the moment. */
  failing: Failing | undefined;
  close(): void;
}

const KEPT = { ttlMs: 60_000, cacheScope: "public" };
const VIEW = "ui://modern/view.html";
const inputSchema = { type: "object", properties: { call: { type: "string" } } };

const FAILURES: Record<Failing, (response: ServerResponse) => void> = {
  reset: ({ socket }) => socket?.resetAndDestroy(),
  hang: () => {},
  "500": (response) => response.writeHead(500).end("it broke"),
  "404": (response) => response.writeHead(404).end(),
};

/** A server that fails in some way. */
export function failing(server: ModernServer, how: Failing): Fault {
  return {
    name: `a server over HTTP answers calls with ${how}`,
    inject: () => {
      server.failing = how;
    },
    heal: () => {
      server.failing = undefined;
    },
  };
}

export async function serveModern(): Promise<ModernServer> {
  const calls: string[] = [];
  let arrived = 0;
  // biome-ignore lint/suspicious/noExplicitAny: whatever is sent to it.
  const results: Record<string, (params: any) => object> = {
    "server/discover": () => ({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, resources: {} },
      ...KEPT,
    }),
    "tools/list": () => ({ tools: [{ name: "count", inputSchema }], ...KEPT }),
    "resources/list": () => ({ resources: [{ uri: VIEW, name: "view" }], ...KEPT }),
    "resources/read": ({ uri }) => ({
      contents: [
        { uri, mimeType: "text/html;profile=mcp-app", text: "<!doctype html><title>M</title>" },
      ],
      ...KEPT,
    }),
    "tools/call": ({ arguments: { call, size = 0 } }) => {
      calls.push(call);
      const content = [{ type: "text", text: "x".repeat(size) }];
      // The call first, because the audit log truncates large values.
      return { structuredContent: { call }, content };
    },
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method, params } = body ? JSON.parse(body) : ({} as Record<string, never>);
    const how = method === "tools/call" ? arrive() : undefined;
    const result = how === "404" ? undefined : results[method]?.(params);
    if (how) return FAILURES[how](response);
    const known = result && { result: { resultType: "complete", ...result } };
    const answer = known ?? { error: { code: -32_601, message: "No such method" } };
    response.writeHead(known ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });
  const arrive = (): Failing | undefined => {
    arrived += 1;
    return modern.failing;
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const modern: ModernServer = {
    url: `http://127.0.0.1:${port}/mcp`,
    calls,
    get arrived() {
      return arrived;
    },
    failing: undefined,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return modern;
}
