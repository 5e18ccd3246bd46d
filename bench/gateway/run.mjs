// The gateway bench: each variant has processes of its own, all run in turns within one run, and what is
// compared is the CPU time of these processes for each call. See ../README.md.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { WebSocket } from "ws";
import { toDecimal, toTable } from "../table.mjs";
import { readMachineTime } from "../view/processor-time.mjs";
import { median } from "../view/statistics.mjs";

const isQuick = process.argv.includes("--quick");
const ROUNDS = isQuick ? 4 : 8;
/** Of each variant: with one, the same code gave ratios that differed by a third from run to run. */
const PROCESSES = 3;
/** Of each process in its turn: what it needs to find its code again after all others is no part of a call. */
const CALLS = isQuick ? 2000 : 8000;
const VIEWS = isQuick ? 500 : 2000;
const IN_FLIGHT = 32;
/** Calls before the first that counts: a process that serves for days is compiled. */
const WARM_UP = 30_000;
const PROGRAM = fileURLToPath(new URL("./variants.ts", import.meta.url));
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** What has to hold: the share of the work that a bare server does, or the share of another's CPU. */
const REQUIRED = [
  { measure: "policy path ÷ bare ws echo", of: "ws-echo", by: "ws-policy", least: 0.75 },
  { measure: "with full audit ÷ bare ws echo", of: "ws-echo", by: "ws-audit", least: 0.55 },
  { measure: "HTTP endpoint ÷ bare fastify echo", of: "http-echo", by: "http-policy", least: 0.6 },
  { measure: "upstream hop: SDK client ÷ ours", of: "hop-sdk", by: "hop-ours", least: 5 },
];

const children = [];

async function start(name, ...args) {
  const child = fork(PROGRAM, [name, ...args], {
    execArgv: [
      "--expose-gc",
      "--experimental-strip-types",
      "--no-warnings",
      "--conditions=@vitrine/source",
    ],
  });
  children.push(child);
  const [{ port }] = await once(child, "message");
  const ask = async (question) => {
    child.send(question);
    const [answer] = await once(child, "message");
    return answer[question];
  };
  return { name, port, ask };
}

/** So many, some at a time. */
async function inGroups(count, make) {
  const made = [];
  while (made.length < count) {
    const length = Math.min(IN_FLIGHT, count - made.length);
    const next = (_, n) => make(made.length + n);
    made.push(...(await Promise.all(Array.from({ length }, next))));
  }
  return made;
}

/** A ticket for each View, as its Host gets it. Nothing of it is left open, which would count as a View's. */
async function openViews({ name, port }, count) {
  if (name === "ws-echo") return [];
  const pool = new Pool(`http://localhost:${port}`, { connections: IN_FLIGHT });
  const open = async () => {
    const { statusCode, body } = await pool.request({
      path: "/servers/bench/views",
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer bench-token" },
      body: JSON.stringify({ resource: "ui://bench/view" }),
    });
    const { ticket } = await body.json();
    if (!ticket) throw new Error(`No ticket: HTTP ${statusCode}`);
    return ticket;
  };
  const tickets = await inGroups(count, open);
  await pool.close();
  return tickets;
}

async function openSocket({ name, port }, ticket) {
  const protocols = name === "ws-echo" ? [] : ["vitrine.mcp.v1", `ticket.${ticket}`];
  const socket = new WebSocket(`ws://localhost:${port}/servers/bench/mcp`, protocols, {
    perMessageDeflate: false,
  });
  await once(socket, "open");
  return socket;
}

const paramsOf = (n) => ({ name: "echo", arguments: { city: "Graz", days: 1 + (n % 7) } });

/** So many calls, from as many Views as calls are in flight: a View waits for its answer. */
function callBySockets(sockets, calls) {
  let sent = 0;
  const work = (socket) =>
    new Promise((resolve, reject) => {
      const next = () => {
        if (sent >= calls) {
          socket.off("message", hear);
          resolve();
          return;
        }
        sent += 1;
        const message = { jsonrpc: "2.0", id: sent, method: "tools/call", params: paramsOf(sent) };
        socket.send(JSON.stringify(message));
      };
      const hear = (data) => {
        const message = JSON.parse(data.toString());
        if (message.id === undefined) return;
        if (!message.result) reject(new Error(data.toString()));
        next();
      };
      socket.on("message", hear);
      next();
    });
  return Promise.all(sockets.map(work));
}

function httpCaller({ port }) {
  const pool = new Pool(`http://localhost:${port}`, { connections: IN_FLIGHT });
  const call = async (n) => {
    const params = { ...paramsOf(n), _meta: META };
    const { statusCode, body } = await pool.request({
      path: "/servers/bench/mcp",
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: "Bearer bench-token",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "echo",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: n, method: "tools/call", params }),
    });
    const text = await body.text();
    if (statusCode !== 200 || !text.includes('"result"')) throw new Error(text);
  };
  return async (calls) => {
    let sent = 0;
    const work = async () => {
      while (sent < calls) await call(++sent);
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  };
}

async function prepare(child) {
  if (child.name.startsWith("ws-")) {
    const tickets = await openViews(child, IN_FLIGHT);
    const sockets = await inGroups(IN_FLIGHT, (n) => openSocket(child, tickets[n]));
    return { ...child, load: (calls) => callBySockets(sockets, calls) };
  }
  return { ...child, load: httpCaller(child) };
}

/** Microseconds of CPU a call, in this process's own account. */
async function measure({ ask, load }, calls) {
  // While others had their turn, idle connections were closed: to open them again is not what a call costs.
  await load(4 * IN_FLIGHT);
  const before = await ask("cpu");
  await load(calls);
  return ((await ask("cpu")) - before) / calls;
}

/** Bytes of a View that is connected and says nothing. */
async function weighViews(child) {
  // One for all: what was left of opening thousands would count as well, and differ from run to run.
  const [ticket] = await openViews(child, 1);
  const before = await child.ask("memory");
  const sockets = await inGroups(VIEWS, () => openSocket(child, ticket));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const after = await child.ask("memory");
  for (const socket of sockets) socket.terminate();
  return (after - before) / VIEWS;
}

async function run() {
  const machine = readMachineTime();
  const server = await start("bare-server");
  const url = `http://127.0.0.1:${server.port}/mcp`;
  const names = [
    "ws-echo",
    "ws-policy",
    "ws-audit",
    "http-echo",
    "http-policy",
    "hop-ours",
    "hop-sdk",
  ];
  const variants = [];
  for (let process = 0; process < PROCESSES; process++)
    for (const name of names) variants.push(await prepare(await start(name, url)));
  for (const variant of variants) await variant.load(WARM_UP);
  const samples = [];
  for (let round = 0; round < ROUNDS; round++) {
    const sample = Object.fromEntries(names.map((name) => [name, 0]));
    // In turns, forwards and backwards: what disturbs one disturbs its neighbour.
    const order = round % 2 ? [...variants].reverse() : variants;
    for (const variant of order)
      sample[variant.name] += (await measure(variant, CALLS)) / PROCESSES;
    samples.push(sample);
    if (process.stderr.isTTY) process.stderr.write(`\rround ${round + 1} `);
  }
  const rows = names.map((name) => [
    name,
    toDecimal(median(samples.map((sample) => sample[name])), 1),
  ]);
  console.log(toTable(["CPU, µs a call (median)", "µs"], rows));

  const idle = {};
  for (const name of ["ws-echo", "ws-policy"])
    idle[name] = await weighViews(await start(name, url));
  const now = readMachineTime();
  const busy = (now.busy - machine.busy) / (now.total - machine.total);
  console.log(
    `\n${ROUNDS} rounds of ${CALLS} calls to each of ${PROCESSES} processes, ${IN_FLIGHT} in flight; the machine was ${toDecimal(busy * 100, 0)} % busy, this run included.\n`,
  );

  const verdicts = REQUIRED.map(({ measure: title, of, by, least }) => {
    const ratio = median(samples.map((sample) => sample[of] / sample[by]));
    return { title, words: toDecimal(ratio), limit: `≥ ${least}`, ok: ratio >= least };
  });
  const weight = idle["ws-policy"] / idle["ws-echo"];
  verdicts.push({
    title: "idle view ÷ bare ws, memory",
    words: `${toDecimal(weight)} (${toDecimal(idle["ws-policy"] / 1024, 1)} KB, bare ${toDecimal(idle["ws-echo"] / 1024, 1)} KB)`,
    limit: "≤ 2",
    ok: weight <= 2,
  });
  for (const { title, words, limit, ok } of verdicts) {
    console.log(`${title.padEnd(36)} ${words.padEnd(34)} ${limit.padEnd(8)} ${ok ? "ok" : "FAIL"}`);
  }
  return verdicts.every(({ ok }) => ok);
}

try {
  if (!(await run())) process.exitCode = 1;
} finally {
  for (const child of children) child.disconnect();
  setTimeout(() => process.exit(), 500).unref();
}
