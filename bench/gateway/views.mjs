// Ten thousand live Views on one gateway process with policies and full audit: each with a ticket of its own,
// each calling its server and reporting receipts. Prints errors, p99 and memory; exits 1 if any call failed, any
// receipt was rejected, or any View was disconnected.

import { fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { WebSocket } from "ws";
import { toDecimal } from "../table.mjs";
import { median, quantile } from "../view/statistics.mjs";

const isQuick = process.argv.includes("--quick");
const VIEWS = isQuick ? 1000 : 10_000;
const SECONDS = isQuick ? 10 : 60;
/** Milliseconds between two calls of one View. */
const PACE = 5000;
const CALLS_PER_RECEIPT = 6;
const PROGRAM = fileURLToPath(new URL("./variants.ts", import.meta.url));

const child = fork(PROGRAM, ["ws-company"], {
  execArgv: ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"],
});
const [{ port }] = await once(child, "message");
const pool = new Pool(`http://localhost:${port}`, { connections: 16 });
const tally = { opened: 0, retried: 0, calls: 0, receipts: 0, errors: [], times: [] };

async function openTicket() {
  const { body } = await pool.request({
    path: "/servers/bench/views",
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer bench-token" },
    body: JSON.stringify({ resource: "ui://bench/view" }),
  });
  return (await body.json()).ticket;
}

/** As the Host's page reports what a View did. */
async function sendReceipt(ticket) {
  const receipts = [{ kind: "message", outcome: "done", size: 12, content: "Sunny today." }];
  try {
    const { statusCode, body } = await pool.request({
      path: "/servers/bench/receipts",
      method: "POST",
      headers: { "content-type": "application/json", "vitrine-view": ticket },
      body: JSON.stringify({ receipts }),
    });
    const text = await body.text();
    if (statusCode === 204) tally.receipts += 1;
    else tally.errors.push(`receipt ${statusCode} ${text}`);
  } catch (error) {
    tally.errors.push(`receipt ${error}`);
  }
}

/** As the Host does it: a rejected connection is retried. */
async function openSocket(ticket) {
  for (;;) {
    const socket = new WebSocket(
      `ws://localhost:${port}/servers/bench/mcp`,
      ["vitrine.mcp.v1", `ticket.${ticket}`],
      { perMessageDeflate: false },
    );
    const isOpen = await new Promise((resolve) => {
      socket.once("open", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    if (isOpen) return socket;
    tally.retried += 1;
    await sleep(500 + Math.random() * 1500);
  }
}

function live(socket, ticket) {
  const waiting = new Map();
  let id = 0;
  socket.on("message", (data) => {
    const message = JSON.parse(data.toString());
    const sent = waiting.get(message.id);
    if (sent === undefined) return;
    waiting.delete(message.id);
    tally.calls += 1;
    tally.times.push(performance.now() - sent);
    if (!message.result) tally.errors.push(data.toString());
  });
  socket.on("close", (code) => isOver || tally.errors.push(`closed ${code}`));
  const call = () => {
    id += 1;
    waiting.set(id, performance.now());
    const params = { name: "echo", arguments: { city: "Graz", days: 3 } };
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
    if (id % CALLS_PER_RECEIPT === 1) void sendReceipt(ticket);
  };
  const first = setTimeout(() => {
    call();
    timer = setInterval(call, PACE);
  }, Math.random() * PACE);
  let timer;
  return {
    stop: () => {
      clearTimeout(first);
      clearInterval(timer);
    },
    left: () => waiting.size,
    close: () => socket.terminate(),
  };
}

async function residentBytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

let isOver = false;
const before = await residentBytes(child.pid);
const views = [];
const started = performance.now();
const work = async () => {
  while (tally.opened < VIEWS) {
    tally.opened += 1;
    const ticket = await openTicket();
    views.push(live(await openSocket(ticket), ticket));
  }
};
await Promise.all(Array.from({ length: 64 }, work));
const opening = (performance.now() - started) / 1000;
// From here on all of them are there.
tally.calls = 0;
tally.times = [];
await sleep(SECONDS * 1000);
const { calls, times } = tally;
const memory = await residentBytes(child.pid);
for (const { stop } of views) stop();
await sleep(2000);
const unanswered = views.reduce((sum, { left }) => sum + left(), 0);
isOver = true;
for (const { close } of views) close();
child.disconnect();

console.log(
  `${VIEWS} views opened in ${toDecimal(opening, 1)} s, ${tally.retried} told to come again`,
);
console.log(
  `memory of the gateway ${toDecimal(before / 2 ** 20, 0)} → ${toDecimal(memory / 2 ** 20, 0)} MB, ${toDecimal((memory - before) / VIEWS / 1024, 1)} KB a view`,
);
for (const error of [...new Set(tally.errors)].slice(0, 5)) console.log(`  ${error}`);
const failed = tally.errors.length + unanswered;
console.log(
  `${calls} calls in ${SECONDS} s and ${tally.receipts} receipts, p50 ${toDecimal(median(times), 1)} ms, p99 ${toDecimal(quantile(times, 0.99), 1)} ms; errors ${failed} ${failed === 0 ? "ok" : "FAIL"}`,
);
process.exit(failed === 0 ? 0 : 1);
