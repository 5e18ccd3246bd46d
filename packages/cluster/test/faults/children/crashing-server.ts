// A program: a server over stdio that greets, lists, and ends at each call, after it has written down who
// started it, when it began and when it ended. `crashing-server.ts <name> <mark>`, in the folder that it writes to.

import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [name = ""] = process.argv.slice(2);
const startedAt = Date.now();
const KEPT = { ttlMs: 60_000, cacheScope: "public" };
const tools = [{ name: "count", inputSchema: { type: "object" } }];

// biome-ignore lint/suspicious/noExplicitAny: whatever is sent to it.
const methods: Record<string, (params: any) => object> = {
  "server/discover": () => ({
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    ...KEPT,
  }),
  "tools/list": () => ({ tools, ...KEPT }),
  "tools/call": ({ arguments: { call } }) => {
    appendFileSync("crashes", `${name} ${process.ppid} ${call} ${startedAt} ${Date.now()}\n`);
    return process.exit(1);
  },
};

createInterface(process.stdin)
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const result = methods[method]?.(params);
    const known = result && { result: { resultType: "complete", ...result } };
    const answer = known ?? { error: { code: -32_601, message: "No such method" } };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
  })
  .on("close", () => process.exit());
