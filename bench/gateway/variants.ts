// One process for each variant, so that its CPU time is its own. Started by run.mjs with the name of the
// variant; prints its port, then answers "cpu" and "memory".

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMemoryEngine } from "@vitrine/gateway/engine";
import fastify, { type RouteHandlerMethod } from "fastify";
import { Pool } from "undici";
import { WebSocketServer } from "ws";
import { createGateway, type GatewayOptions } from "../../packages/gateway/src/gateway.ts";
import { devAuthenticator } from "../../packages/gateway/src/identity/user-token.ts";
import { createTickets } from "../../packages/gateway/src/identity/view-ticket.ts";
import type { Recorder } from "../../packages/gateway/src/policy/pipeline.ts";
import {
  createAddressGuard,
  createHttpUpstream,
} from "../../packages/gateway/src/upstreams/index.ts";
import type { Upstream } from "../../packages/gateway/src/upstreams/upstream.ts";

const [, , name = "", upstreamUrl = ""] = process.argv;

const quiet: Recorder = { admit: () => undefined, refused: () => {}, answered: () => {} };
const unlimited = { viewPerMinute: 1e9, userPerMinute: 1e9, serverPerMinute: 1e9, userAtOnce: 1e6 };
// All views of the bench belong to one user.
const traffic = { ticketSockets: 1e6, userSockets: 1e6, tenantSockets: 1e6, bodyBytes: 2 ** 30 };
const schema = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", minimum: 1 } },
  required: ["city"],
};

/** Answers at once, in this process: what is left is the gateway. */
function echoUpstream(): Upstream {
  const tools = [{ name: "echo", inputSchema: schema, annotations: { readOnlyHint: true } }];
  const results: Record<string, (params: unknown) => object> = {
    "tools/list": () => ({ tools, ttlMs: 1e6, cacheScope: "public", resultType: "complete" }),
    "tools/call": (params) => ({
      content: [],
      structuredContent: (params as { arguments: object }).arguments,
      resultType: "complete",
    }),
    "resources/read": () => ({
      contents: [{ uri: "ui://bench/view", text: "<!doctype html><p>bench" }],
      resultType: "complete",
    }),
  };
  return {
    id: "bench",
    kind: "http",
    send: async ({ message: { id, method, params } }) => ({
      message: { jsonrpc: "2.0", id, result: results[method]?.(params) ?? {} },
    }),
    notify: async () => {},
    discover: async () => ({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      ttlMs: 1e6,
      cacheScope: "public",
    }),
    listen: () => () => {},
    close: async () => {},
  };
}

async function startGateway(
  upstream: Upstream,
  more: Partial<GatewayOptions> = {},
): Promise<number> {
  const gateway = createGateway({
    engine: createMemoryEngine(),
    servers: { bench: { upstream } },
    origins: [],
    authenticate: devAuthenticator("bench-token"),
    tickets: createTickets({ keys: [{ id: "a", secret: new Uint8Array(32) }], lifetime: 3600 }),
    recorder: quiet,
    limits: { rates: unlimited, traffic, acceptsPerSecond: 1e6 },
    ...more,
  });
  return (await gateway.listen({ port: 0 })).port;
}

/** Starts the audit as an operator would: everything, on disk. */
async function fullAudit(): Promise<Partial<GatewayOptions>> {
  const { mkdtemp } = await import("node:fs/promises");
  const { tmpdir } = await import("node:os");
  const { join } = await import("node:path");
  const { openSqliteEngine } = await import("@vitrine/gateway/engine");
  const { createAudit } = await import("../../packages/gateway/src/audit/index.ts");
  const { auditRecorder } = await import("../../packages/gateway/src/policy/audit-recorder.ts");
  const folder = await mkdtemp(join(tmpdir(), "vitrine-bench-"));
  const engine = await openSqliteEngine({ folder });
  const journal = join(folder, "journal");
  const audit = await createAudit({ engine, node: "bench", level: "full", journal });
  const { receiptEntry } = await import("../../packages/gateway/src/policy/receipt.ts");
  const onReceipt: GatewayOptions["onReceipt"] = (from, receipt) =>
    audit.record(receiptEntry(from, receipt));
  return { engine, recorder: auditRecorder(audit), onReceipt };
}

/** A thousand policies of a company, one of which permits the bench's calls. */
async function companyAccess(): Promise<Pick<GatewayOptions, "access">> {
  const tests = "../../packages/gateway/test/policy/authorization";
  const { authorizerOf } = await import(`${tests}/policies.ts`);
  const { companyPolicies } = await import(`${tests}/company.ts`);
  const own = `permit(principal in Vitrine::Tenant::"dev", action, resource in Vitrine::Server::"bench");`;
  const authorizer = await authorizerOf(`${companyPolicies(999)}\n${own}`);
  return { access: { authorizer, mode: "enforce" } };
}

/** An endpoint that has the body as text, whatever is in it. */
async function serveTexts(post: RouteHandlerMethod): Promise<number> {
  const app = fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
  app.post("/servers/bench/mcp", post);
  await app.listen({ port: 0, host: "127.0.0.1" });
  return (app.server.address() as AddressInfo).port;
}

const VARIANTS: Record<string, () => Promise<number>> = {
  "ws-echo": async () => {
    const server = new WebSocketServer({ port: 0, perMessageDeflate: false });
    server.on("connection", (socket) => {
      socket.on("message", (data) => {
        const { id, params } = JSON.parse(data.toString());
        const result = { content: [], structuredContent: params?.arguments };
        socket.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
      });
    });
    return (server.address() as AddressInfo).port;
  },
  "ws-policy": () => startGateway(echoUpstream()),
  "ws-audit": async () => startGateway(echoUpstream(), await fullAudit()),
  /** As a company runs it, but for the limits of one user: all these Views are one user's. */
  "ws-company": async () => {
    const parts = { ...(await fullAudit()), ...(await companyAccess()) };
    return startGateway(echoUpstream(), { ...parts, limits: { rates: unlimited, traffic } });
  },
  "http-echo": async () => {
    const app = fastify();
    app.post("/servers/bench/mcp", async (request) => {
      const { id, params } = request.body as { id: unknown; params: { arguments: unknown } };
      const result = { content: [], structuredContent: params.arguments };
      return { jsonrpc: "2.0", id, result };
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    return (app.server.address() as AddressInfo).port;
  },
  "http-policy": () => startGateway(echoUpstream()),
  /** A server that does nothing but answer. */
  "bare-server": async () => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => {
        const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
        const tools = [{ name: "echo", inputSchema: schema, annotations: { readOnlyHint: true } }];
        const result =
          method === "tools/list"
            ? { tools, ttlMs: 1e6, cacheScope: "public" }
            : method === "server/discover"
              ? {
                  supportedVersions: ["2026-07-28"],
                  capabilities: { tools: {} },
                  ttlMs: 1e6,
                  cacheScope: "public",
                }
              : { content: [{ type: "text", text: "x" }], structuredContent: params?.arguments };
        response.setHeader("content-type", "application/json");
        response.end(
          JSON.stringify({ jsonrpc: "2.0", id, result: { ...result, resultType: "complete" } }),
        );
      });
    });
    // A variant must not find its connection closed after the others had their turn.
    server.keepAliveTimeout = 600_000;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  },
  /** One hop to a server and back, without policy: an endpoint that hands frames on. */
  "hop-ours": () => {
    const guard = createAddressGuard({ exempt: [new URL(upstreamUrl).host] });
    const slots = { limit: 64, perTenant: 64, perUser: 64 };
    const upstream = createHttpUpstream({
      id: "bench",
      url: upstreamUrl,
      guard,
      era: "modern",
      slots,
    });
    const scope = { tenant: "bench", user: "bench" };
    return serveTexts(async (request, reply) => {
      const message = JSON.parse(request.body as string);
      const { signal } = new AbortController();
      const answer = await upstream.send({ message, signal, deadline: 60_000, scope });
      return reply.type("application/json").send(JSON.stringify(answer.message));
    });
  },
  /** A whole gateway with full audit between an HTTP caller and an HTTP server. */
  "proxy-audit": async () => {
    const guard = createAddressGuard({ exempt: [new URL(upstreamUrl).host] });
    const upstream = createHttpUpstream({ id: "bench", url: upstreamUrl, guard, era: "modern" });
    return startGateway(upstream, await fullAudit());
  },
  /** The same hop, as one builds it from the official SDK: an endpoint that calls a client. */
  "hop-sdk": async () => {
    const client = new Client(
      { name: "bench", version: "1.0.0" },
      { versionNegotiation: { mode: "auto" } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(upstreamUrl)));
    const app = fastify();
    app.post("/servers/bench/mcp", async (request) => {
      const { id, params } = request.body as { id: unknown; params: never };
      return { jsonrpc: "2.0", id, result: await client.callTool(params) };
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    return (app.server.address() as AddressInfo).port;
  },
  /** The least that such a hop can cost: bytes in, bytes out, and nobody looks at them. */
  "hop-bare": () => {
    const { origin, pathname: path } = new URL(upstreamUrl);
    const pool = new Pool(origin, { headersTimeout: 0, bodyTimeout: 0 });
    const headers = {
      "mcp-name": "echo",
      "mcp-method": "tools/call",
      "mcp-protocol-version": "2026-07-28",
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    };
    return serveTexts((request, reply) => {
      const chunks: Buffer[] = [];
      const body = request.body as string;
      pool.dispatch(
        { method: "POST", path, headers, body },
        {
          onRequestStart: () => {},
          onResponseStart: () => {},
          onResponseData: (_, chunk) => void chunks.push(chunk),
          onResponseEnd: () =>
            void reply.type("application/json").send(Buffer.concat(chunks).toString()),
          onResponseError: (_, error) => void reply.send(error),
        },
      );
    });
  },
};

const start = VARIANTS[name];
if (!start) throw new Error(`There is no variant "${name}".`);
const port = await start();
process.on("message", (question) => {
  if (question === "cpu") {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpu: user + system });
  }
  if (question === "memory") {
    // Not the resident set: what the allocator has kept from before would hide what is new.
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.({ memory: heapUsed + external });
  }
});
process.on("disconnect", () => process.exit());
process.send?.({ port });
