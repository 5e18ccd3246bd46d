import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "./stage.ts";

/** A hand-written modern server on the bare wire, which can send what an SDK wouldn't allow. */
export interface RawServer extends AsyncDisposable {
  url: URL;
  /** Each request as it arrived. */
  requests: { text: string; body: Json; headers: Record<string, unknown> }[];
  /** Answers by method: a result, or a whole text. */
  answers: Record<string, (params: Json, body: Json) => Json>;
  tools: Json[];
}

/** Starts one; it offers the tools it is given and answers each call with the arguments. */
export async function serveRaw(tools: Json[] = []): Promise<RawServer> {
  const raw: Omit<RawServer, "url"> = {
    requests: [],
    tools,
    answers: {
      "server/discover": () => ({
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: { listChanged: true }, resources: {} },
        ttlMs: 1000,
        cacheScope: "public",
      }),
      "tools/list": () => ({ tools: raw.tools, ttlMs: 0, cacheScope: "public" }),
      "tools/call": (params) => ({
        content: [{ type: "text", text: params.name }],
        structuredContent: params.arguments ?? {},
      }),
      "resources/list": () => ({ resources: [{ uri: "note://a", name: "a" }], ttlMs: 0 }),
      "resources/read": ({ uri }) => ({
        contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: "<!doctype html><p>raw" }],
        ttlMs: 60_000,
        cacheScope: "private",
      }),
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = JSON.parse(text);
    raw.requests.push({ text, body, headers: request.headers });
    const answer = raw.answers[body.method];
    response.setHeader("content-type", "application/json");
    if (!answer) {
      response.statusCode = 404;
      response.end(
        JSON.stringify({ jsonrpc: "2.0", id: body.id, error: { code: -32601, message: "no" } }),
      );
      return;
    }
    const value = await answer(body.params, body);
    const result = { resultType: "complete", ...value };
    response.end(
      typeof value === "string" ? value : JSON.stringify({ jsonrpc: "2.0", id: body.id, result }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  return Object.assign(raw, { url });
}

/** A minimal tool. */
export function tool(name: string, more: Json = {}): Json {
  return { name, inputSchema: { type: "object" }, ...more };
}
