// A server that does nothing but answer: over stdio when it is started as a program, over HTTP with `http`.

import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const KEPT = { ttlMs: 1e6, cacheScope: "public", resultType: "complete" };
const MIME = "text/html;profile=mcp-app";
const inputSchema = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", minimum: 1 } },
  required: ["city"],
};
const RESULTS = {
  "server/discover": () => ({
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {}, resources: {} },
    ...KEPT,
  }),
  "tools/list": () => ({
    tools: [{ name: "echo", inputSchema, annotations: { readOnlyHint: true } }],
    ...KEPT,
  }),
  "resources/list": () => ({ resources: [{ uri: "ui://bench/view", name: "view" }], ...KEPT }),
  "resources/read": () => ({
    contents: [{ uri: "ui://bench/view", mimeType: MIME, text: "<!doctype html><p>bench" }],
    ...KEPT,
  }),
  "tools/call": (params) => ({
    content: [],
    structuredContent: params.arguments,
    resultType: "complete",
  }),
};

/** The result of a method. */
export function answerTo(method, params) {
  return RESULTS[method]?.(params) ?? { resultType: "complete" };
}

function serveHttp() {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
      const result = answerTo(method, params);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  });
  // A call after a pause, on a busy machine, must not find the connection closed.
  server.keepAliveTimeout = 600_000;
  server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
  process.on("disconnect", () => process.exit());
}

function serveStdio() {
  createInterface(process.stdin)
    .on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const answer = { jsonrpc: "2.0", id, result: answerTo(method, params) };
      process.stdout.write(`${JSON.stringify(answer)}\n`);
    })
    .on("close", () => process.exit());
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  if (process.argv[2] === "http") serveHttp();
  else serveStdio();
}
