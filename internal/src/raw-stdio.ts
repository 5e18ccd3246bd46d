// A program: a server over stdio without any SDK, for behaviour that no SDK has. Its behaviour is set by its
// first argument; the others are up to that.

import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

// biome-ignore lint/suspicious/noExplicitAny: whatever is sent to it.
type Message = any;

const [role = "modern", detail = ""] = process.argv.slice(2);
const write = (message: object | string): void => {
  const text = typeof message === "string" ? message : JSON.stringify(message);
  process.stdout.write(`${text}\n`);
};
const reply = (id: unknown, result: object): void => write({ jsonrpc: "2.0", id, result });
const isLegacy = role.startsWith("legacy");
let calls = 0;

const tools: Record<string, (message: Message) => unknown> = {
  echo: ({ id, params, line }) => {
    const { env: environment, pid, argv } = process;
    reply(id, { resultType: "complete", params, line, environment, pid, argv: argv.slice(2) });
  },
  crash: () => process.exit(1),
  hang: () => {},
  large: ({ id, params }) => reply(id, { text: "x".repeat(params.arguments.size) }),
  // Answers somebody else, in every way there is.
  wrong: ({ id }) => {
    for (const other of [id + 1000, `${id}`, null, -1]) reply(other, { stolen: true });
    reply(id, { resultType: "complete" });
    reply(id, { late: true });
  },
  garbage: ({ id }) => {
    write("Listening on stdin …");
    write("{");
    write("[]");
    write('{"jsonrpc":"1.0","id":1}');
    reply(id, { resultType: "complete" });
  },
  storm: () => {
    for (let n = 0; n < 50_000; n++)
      write({ jsonrpc: "2.0", method: "notifications/x", params: { n } });
  },
  progress: ({ id, params }) => {
    const { progressToken } = params._meta;
    write({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken, progress: 1 },
    });
    write({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: 999, progress: 2 },
    });
    setTimeout(
      () => reply(id, { resultType: "complete", progressToken }),
      params.arguments.wait ?? 0,
    );
  },
  // As fast as it can, all of it asked for.
  hurry: ({ id, params }) => {
    const { progressToken } = params._meta;
    for (let progress = 0; progress < params.arguments.times; progress++) {
      write({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken, progress },
      });
    }
    reply(id, { resultType: "complete" });
  },
  // A child of the child, which would outlive it.
  grandchild: ({ id }) => {
    const { pid } = spawn("sleep", ["1000"], { stdio: "inherit" });
    reply(id, { resultType: "complete", pid });
  },
};

const methods: Record<string, (message: Message) => unknown> = {
  "server/discover": ({ id }) => {
    if (role === "legacy-mortal") {
      if (detail) appendFileSync(detail, "asked ");
      process.exit(3);
    }
    if (role === "legacy-silent") return;
    if (isLegacy)
      return write({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
    const serverInfo = { name: "raw", version: "1" };
    const _meta = { "io.modelcontextprotocol/serverInfo": serverInfo };
    reply(id, {
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: "private",
      _meta,
    });
  },
  initialize: ({ id }) => {
    if (!isLegacy)
      return write({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
    const serverInfo = { name: "raw", version: "1" };
    reply(id, {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo,
      instructions: "Ask",
    });
  },
  "tools/call": (message) => {
    calls++;
    if (role.endsWith("crash-loop") && calls > Number(detail)) process.exit(1);
    return tools[message.params.name]?.(message);
  },
  "tools/list": ({ id }) => reply(id, { tools: [], calls }),
};

if (role === "crash-at-start") {
  process.stderr.write(`${"e".repeat(100_000)}no configuration\n`);
  process.exit(7);
}
if (role === "stubborn") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1000);
}
const start = (): void => {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    methods[message.method]?.({ ...message, line });
  });
};
// A program that takes its time before it reads.
if (role.endsWith("slow-start")) setTimeout(start, Number(detail));
else start();
