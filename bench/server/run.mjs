// The cost of reading a View with `defineApp`, compared with a hand-written server on the bare SDK: CPU
// time of this process, the two in turns. Exits 1 if ours costs more than 1.15 of it.
//
//   npm run bench:server            10,000 reads of each, in each setting
//   npm run bench:server -- --quick 2,000

import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { defineApp, RESOURCE_MIME_TYPE, RESOURCE_URI_META_KEY } from "@vitrine/server";
import { z } from "zod";
import { median } from "../view/statistics.mjs";

const LIMIT = 1.15;
const READS = process.argv.includes("--quick") ? 2_000 : 10_000;
const SLICE = 100;
const WARM_UP = 500;

const info = { name: "bench", version: "1.0.0" };
const html = `<!doctype html><title>A view of 48 KB</title>${"<p>Grüße, Welt</p>".repeat(2_600)}`;
const inputSchema = z.object({ city: z.string() });
const outputSchema = z.object({ celsius: z.number() });
const data = { celsius: 21 };
const year = 365 * 24 * 60 * 60 * 1_000;
const ui = { prefersBorder: true, csp: { connectDomains: ["https://api.example.com"] } };

const app = defineApp({
  name: "weather",
  tool: { inputSchema, outputSchema, handler: () => ({ data }) },
  view: html,
  ...ui,
});

const URI = "ui://weather/bare.html";

function buildBare() {
  const server = new McpServer(info);
  const _meta = { ui: { resourceUri: URI }, [RESOURCE_URI_META_KEY]: URI };
  server.registerTool("weather", { inputSchema, outputSchema, _meta }, () => ({
    content: [{ type: "text", text: "21" }],
    structuredContent: data,
  }));
  const cacheHint = { ttlMs: year, cacheScope: "public" };
  const config = { mimeType: RESOURCE_MIME_TYPE, _meta: { ui }, cacheHint };
  const contents = [{ uri: URI, mimeType: RESOURCE_MIME_TYPE, text: html, _meta: { ui } }];
  server.registerResource("weather", URI, config, () => ({ contents }));
  return server;
}

const variants = {
  bare: { build: buildBare, uri: URI },
  ours: { build: () => app.register(new McpServer(info)), uri: app.uri },
};

/** A server for each request, as over Streamable HTTP of 2026-07-28: registering is in every read. */
function perRequest({ build, uri }) {
  const { fetch } = createMcpHandler(build);
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "resources/read",
    "mcp-name": uri,
  };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { uri, _meta };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/read", params });
  const request = () => new Request("http://bench.test/mcp", { method: "POST", headers, body });
  return {
    prepare: () => Array.from({ length: SLICE }, request),
    async read(prepared) {
      const { result } = await (await fetch(prepared)).json();
      return result;
    },
  };
}

/** One server for all, as over stdio: the read alone. */
async function connected({ build, uri }) {
  const waiting = new Map();
  const transport = {
    async start() {},
    async close() {},
    async send({ id, result }) {
      waiting.get(id)?.(result);
      waiting.delete(id);
    },
  };
  await build().connect(transport);
  let id = 0;
  const ask = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++id, resolve);
      transport.onmessage({ jsonrpc: "2.0", id, method, params });
    });
  const client = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: info };
  await ask("initialize", client);
  return { prepare: () => Array(SLICE), read: () => ask("resources/read", { uri }) };
}

async function slice({ prepare, read }) {
  const prepared = prepare();
  const before = process.cpuUsage();
  for (const one of prepared) await read(one);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / SLICE;
}

async function compare(open) {
  const bare = await open(variants.bare);
  const ours = await open(variants.ours);
  for (const one of [bare, ours]) {
    const { contents, ttlMs } = await one.read(one.prepare()[0]);
    const isRight = contents[0].text === html && contents[0].mimeType === RESOURCE_MIME_TYPE;
    if (!isRight || (open === perRequest && ttlMs !== year)) throw new Error("A read went wrong.");
  }
  for (let read = 0; read < WARM_UP; read += SLICE) await Promise.all([slice(bare), slice(ours)]);
  const rounds = [];
  for (let read = 0; read < READS; read += SLICE) {
    // The order changes, because the second variant pays for the first one's garbage.
    const isFirst = rounds.length % 2 === 0;
    const first = await slice(isFirst ? bare : ours);
    const second = await slice(isFirst ? ours : bare);
    rounds.push(isFirst ? { bare: first, ours: second } : { bare: second, ours: first });
  }
  return {
    bare: median(rounds.map((round) => round.bare)),
    ours: median(rounds.map((round) => round.ours)),
    ratio: median(rounds.map((round) => round.ours / round.bare)),
  };
}

console.log(`${READS} resources/read of each, 48 KB, CPU of this process, µs for one`);
const outcomes = [];
for (const [name, open] of Object.entries({ connected, perRequest })) {
  const { bare, ours, ratio } = await compare(open);
  outcomes.push(ratio);
  console.log(
    `${name}: bare ${bare.toFixed(0)}, ours ${ours.toFixed(0)}, ratio ${ratio.toFixed(3)}`,
  );
}
const worst = Math.max(...outcomes);
console.log(`ours ÷ bare, the worse of both: ${worst.toFixed(3)} (limit ${LIMIT})`);
process.exitCode = worst > LIMIT ? 1 : 0;
