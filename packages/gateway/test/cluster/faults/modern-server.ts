// A server of 2026-07-28 over HTTP, without sessions, that counts its calls.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What was started. */
export interface ModernServer {
  readonly url: string;
  /** Calls in the order in which they were made. */
  readonly calls: string[];
  close(): void;
}

const KEPT = { ttlMs: 60_000, cacheScope: "public" };
const inputSchema = { type: "object", properties: { call: { type: "string" } } };

export async function serveModern(): Promise<ModernServer> {
  const calls: string[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: whatever is sent to it.
  const results: Record<string, (params: any) => object> = {
    "server/discover": () => ({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      ...KEPT,
    }),
    "tools/list": () => ({ tools: [{ name: "count", inputSchema }], ...KEPT }),
    "tools/call": ({ arguments: { call } }) => {
      calls.push(call);
      return { content: [], structuredContent: { call } };
    },
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method, params } = body ? JSON.parse(body) : ({} as Record<string, never>);
    const result = results[method]?.(params);
    const known = result && { result: { resultType: "complete", ...result } };
    const answer = known ?? { error: { code: -32_601, message: "No such method" } };
    response.writeHead(known ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
