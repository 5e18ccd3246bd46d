// A program: a server over stdio that writes down that it lives, fifty times a second, and each call before it
// is made. Whoever reads the files afterwards knows which processes lived at the same time, and how often a
// call was made. `witness-server.ts <folder>`.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [folder = ""] = process.argv.slice(2);
const RESOURCE = "ui://witness/view.html";
const MIME = "text/html;profile=mcp-app";
const KEPT = { ttlMs: 60_000, cacheScope: "public" };

const live = (): void => appendFileSync(join(folder, "lives"), `${process.pid} ${Date.now()}\n`);
live();
setInterval(live, 20);

const reply = (id: unknown, result: object): void => {
  const answer = { jsonrpc: "2.0", id, result: { resultType: "complete", ...result } };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
};
const inputSchema = { type: "object", properties: { call: { type: "string" } } };

// biome-ignore lint/suspicious/noExplicitAny: whatever is sent to it.
const methods: Record<string, (id: unknown, params: any) => void> = {
  "server/discover": (id) =>
    reply(id, {
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, resources: {} },
      ...KEPT,
    }),
  "tools/list": (id) => reply(id, { tools: [{ name: "count", inputSchema }], ...KEPT }),
  "resources/list": (id) => reply(id, { resources: [{ uri: RESOURCE, name: "view" }], ...KEPT }),
  "resources/read": (id) =>
    reply(id, {
      contents: [{ uri: RESOURCE, mimeType: MIME, text: "<!doctype html><title>W</title>" }],
      ...KEPT,
    }),
  "tools/call": (id, { arguments: { call, wait = 0 } }) => {
    // One write to a file that is opened for appending: whole, also if this process is killed.
    appendFileSync(join(folder, "calls"), `${process.pid} ${call} ${Date.now()}\n`);
    setTimeout(() => reply(id, { content: [], structuredContent: { call } }), wait);
  },
};

createInterface(process.stdin)
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const run = methods[method];
    if (run) run(id, params);
    else {
      const error = { code: -32_601, message: "No such method" };
      process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
    }
  })
  .on("close", () => process.exit());
