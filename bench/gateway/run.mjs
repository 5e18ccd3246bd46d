// The gateway bench: each variant has processes of its own, all run in turns within one run, and what is
// compared is the CPU time of these processes for each call. See ../README.md.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { toDecimal, toTable } from "../table.mjs";
import { readMachineTime } from "../view/processor-time.mjs";
import { quantile } from "../view/statistics.mjs";
import { connectTo, IN_FLIGHT } from "./variant-load.mjs";
import { inGroups, openTickets } from "./view-load.mjs";

const isQuick = process.argv.includes("--quick");
/** Of each variant: with one, the same code gave ratios that differed by a third from run to run. */
const PROCESSES = 3;
/** In each of which every process of a group has its turns, one after the other. */
const BLOCKS = isQuick ? 2 : 5;
const TURNS = isQuick ? 2 : 3;
const CALLS = isQuick ? 1000 : 4000;
const VIEWS = isQuick ? 500 : 2000;
/** Calls before the first that counts: a process that serves for days is compiled. */
const WARM_UP = 30_000;
const PROGRAM = fileURLToPath(new URL("./variants.ts", import.meta.url));

/** Those that are compared, and therefore run in turns. */
const GROUPS = [
  ["ws-echo", "ws-policy", "ws-audit"],
  ["http-echo", "http-policy"],
  ["hop-ours", "hop-sdk", "hop-bare"],
];

/**
 * Shares of what a bare server or another client does. They help to find a regression; a user can't feel
 * microseconds, so they have no limits. `paced.mjs` and `chain.mjs` judge what users feel.
 */
const SHARES = [
  { title: "policy path ÷ bare ws echo", of: "ws-echo", by: "ws-policy" },
  { title: "with full audit ÷ bare ws echo", of: "ws-echo", by: "ws-audit" },
  { title: "HTTP endpoint ÷ bare fastify echo", of: "http-echo", by: "http-policy" },
  { title: "upstream hop: SDK client ÷ ours", of: "hop-sdk", by: "hop-ours" },
  { title: "the same: SDK client ÷ bare undici", of: "hop-sdk", by: "hop-bare" },
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

async function openSocket({ name, port }, ticket) {
  const protocols = name === "ws-echo" ? [] : ["vitrine.mcp.v1", `ticket.${ticket}`];
  const socket = new WebSocket(`ws://localhost:${port}/servers/bench/mcp`, protocols, {
    perMessageDeflate: false,
  });
  await once(socket, "open");
  return socket;
}

async function prepare(child) {
  return { ...child, load: await connectTo(child) };
}

/** Lets the processes of a group take turns; microseconds of CPU a call, for each, in its own account. */
async function runBlock(group) {
  // While others had their turn, idle connections were closed: to open them again is not what a call costs.
  for (const { load } of group) await load(4 * IN_FLIGHT);
  const begin = [];
  for (const { ask } of group) begin.push(await ask("cpu"));
  for (let turn = 0; turn < TURNS; turn++) {
    const order = turn % 2 ? [...group].reverse() : group;
    for (const { load } of order) await load(CALLS);
  }
  // What a process does after its turn, such as to sync its log, is part of what its calls cost.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const sample = [];
  for (const [place, { name, ask }] of group.entries())
    sample.push([name, ((await ask("cpu")) - begin[place]) / (TURNS * CALLS)]);
  return sample;
}

/** Bytes of a View that is connected and idle. */
async function weighViews(child) {
  // One for all: what was left of opening thousands would count as well, and differ from run to run.
  const [ticket] = child.name === "ws-echo" ? [] : await openTickets(child, 1);
  const before = await child.ask("memory");
  const sockets = await inGroups(VIEWS, () => openSocket(child, ticket));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const after = await child.ask("memory");
  for (const socket of sockets) socket.terminate();
  return (after - before) / VIEWS;
}

/** What a call costs in each variant: a sample for each block of each process. */
async function sampleCalls(url) {
  const sets = [];
  for (let process = 0; process < PROCESSES; process++) {
    for (const group of GROUPS) {
      const set = [];
      for (const name of group) set.push(await prepare(await start(name, url)));
      sets.push(set);
    }
  }
  for (const { load } of sets.flat()) await load(WARM_UP);
  const samples = new Map(GROUPS.flat().map((name) => [name, []]));
  for (let block = 0; block < BLOCKS; block++) {
    for (const set of sets) {
      for (const [name, time] of await runBlock(set)) samples.get(name).push(time);
    }
    if (process.stderr.isTTY) process.stderr.write(`\rblock ${block + 1} `);
  }
  return samples;
}

/** Of the blocks, in which what disturbs one disturbs the other, the median. */
function compare({ title, of, by }, samples) {
  const others = samples.get(by);
  const ratios = samples.get(of).map((time, block) => time / others[block]);
  const [low, ratio, high] = [0.1, 0.5, 0.9].map((share) => quantile(ratios, share));
  const words = `${toDecimal(ratio)} (${toDecimal(low)}–${toDecimal(high)})`;
  return { title, words, limit: "", ok: true };
}

async function weigh(url) {
  const ours = await weighViews(await start("ws-policy", url));
  const bare = await weighViews(await start("ws-echo", url));
  return {
    title: "idle view ÷ bare ws, memory",
    words: `${toDecimal(ours / bare)} (${toDecimal(ours / 1024, 1)} KB, bare ${toDecimal(bare / 1024, 1)} KB)`,
    limit: "≤ 3",
    ok: ours <= 3 * bare,
  };
}

async function run() {
  const machine = readMachineTime();
  const server = await start("bare-server");
  const url = `http://127.0.0.1:${server.port}/mcp`;
  const samples = await sampleCalls(url);
  const rows = [...samples].map(([name, times]) => {
    const figures = [0.1, 0.5, 0.9].map((share) => toDecimal(quantile(times, share), 1));
    return [name, ...figures];
  });
  console.log(toTable(["CPU, µs a call", "p10", "p50", "p90"], rows));
  const verdicts = SHARES.map((each) => compare(each, samples));
  verdicts.push(await weigh(url));
  const now = readMachineTime();
  const busy = (now.busy - machine.busy) / (now.total - machine.total);
  console.log(
    `\n${PROCESSES} processes each, ${BLOCKS} blocks of ${TURNS} turns of ${CALLS} calls, ${IN_FLIGHT} in flight; the machine was ${toDecimal(busy * 100, 0)} % busy, this run included.\n`,
  );
  for (const { title, words, limit, ok } of verdicts) {
    const verdict = limit === "" ? "for information" : ok ? "ok" : "FAIL";
    console.log(`${title.padEnd(36)} ${words.padEnd(30)} ${limit.padEnd(8)} ${verdict}`);
  }
  return verdicts.every(({ ok }) => ok);
}

try {
  if (!(await run())) process.exitCode = 1;
} finally {
  for (const child of children) child.disconnect();
  setTimeout(() => process.exit(), 500).unref();
}
