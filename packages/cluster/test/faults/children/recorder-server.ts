// A program: a server over stdio that records a sign of life fifty times a second, and each call before it is
// carried out. The files show which processes lived at the same time, and how often a call was carried out.
// `recorder-server.ts <folder>`. The arguments of a call control what else it does: `wait` so many milliseconds,
// answer with `size` characters, report progress `notes` times with `size` characters each, or publish another
// `edition` of the list of tools.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [folder = ""] = process.argv.slice(2);
const RESOURCE = "ui://recorder/view.html";
const MIME = "text/html;profile=mcp-app";
const KEPT = { ttlMs: 60_000, cacheScope: "public" };

const live = (): void => appendFileSync(join(folder, "lives"), `${process.pid} ${Date.now()}\n`);
live();
setInterval(live, 20);

/** The edition of the list of tools; the next process continues with the last one. */
let edition = existsSync(join(folder, "edition"))
  ? readFileSync(join(folder, "edition"), "utf8")
  : "0";

const write = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const reply = (id: unknown, result: object): void =>
  write({ id, result: { resultType: "complete", ...result } });
const inputSchema = { type: "object", properties: { call: { type: "string" } } };

// biome-ignore lint/suspicious/noExplicitAny: whatever is sent to it.
const methods: Record<string, (id: unknown, params: any) => void> = {
  "server/discover": (id) =>
    reply(id, {
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: { listChanged: true }, resources: {} },
      ...KEPT,
    }),
  "tools/list": (id) => {
    const tools = ["count", `edition-${edition}`].map((name) => ({ name, inputSchema }));
    reply(id, { tools, ...KEPT });
  },
  // The answer is the end of the stream, which comes with the end of the process.
  "subscriptions/listen": (id) =>
    write({
      method: "notifications/subscriptions/acknowledged",
      params: {
        _meta: { "io.modelcontextprotocol/subscriptionId": id },
        notifications: { toolsListChanged: true },
      },
    }),
  "resources/list": (id) => reply(id, { resources: [{ uri: RESOURCE, name: "view" }], ...KEPT }),
  "resources/read": (id) =>
    reply(id, {
      contents: [{ uri: RESOURCE, mimeType: MIME, text: "<!doctype html><title>W</title>" }],
      ...KEPT,
    }),
  "tools/call": (id, { _meta, arguments: { call, wait = 0, size = 0, ...given } }) => {
    // One write to a file that is opened for appending: whole, also if this process is killed.
    appendFileSync(join(folder, "calls"), `${process.pid} ${call} ${Date.now()}\n`);
    if (given.edition !== undefined) {
      edition = `${given.edition}`;
      writeFileSync(join(folder, "edition"), edition);
      write({ method: "notifications/tools/list_changed", params: {} });
    }
    const text = "x".repeat(size);
    const finish = (): void =>
      // The call first, because the audit log truncates large values.
      reply(id, { structuredContent: { call }, content: [{ type: "text", text }] });
    if (given.notes === undefined) setTimeout(finish, wait);
    else tell(_meta?.progressToken, { notes: given.notes, wait, text, finish });
  },
};

/** Reports its progress, spread over a time, then finishes. */
function tell(
  progressToken: unknown,
  { notes, wait, text, finish }: { notes: number; wait: number; text: string; finish(): void },
): void {
  const began = Date.now();
  let progress = 0;
  const timer = setInterval(() => {
    const due = Math.min(notes, Math.ceil(((Date.now() - began) / wait) * notes));
    for (; progress < due; progress++) {
      const params = { progressToken, progress, total: notes, message: text };
      write({ method: "notifications/progress", params });
    }
    if (progress < notes) return;
    clearInterval(timer);
    finish();
  }, 20);
}

createInterface(process.stdin)
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const run = methods[method];
    if (run) run(id, params);
    else write({ id, error: { code: -32_601, message: "No such method" } });
  })
  .on("close", () => process.exit());
