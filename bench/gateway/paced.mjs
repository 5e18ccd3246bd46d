// CPU of one gateway with full audit at a steady pace, next to a bare fastify + undici proxy. See ../README.md.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { toDecimal, toTable } from "../table.mjs";
import { readMachineTime } from "../view/processor-time.mjs";
import { quantile } from "../view/statistics.mjs";
import { cpuOf } from "./process-cpu.mjs";
import { httpCalls } from "./variant-load.mjs";

const isQuick = process.argv.includes("--quick");
const TURNS = isQuick ? 4 : 10;
const SECONDS = 3;
const WARM_UP = { rate: 2000, seconds: isQuick ? 5 : 10 };
/** Calls a second, and how much CPU the gateway may use in relation to the bare proxy. */
const PACES = [
  { rate: 500, most: 1.3 },
  { rate: 2000, most: 2 },
];
const PROGRAM = fileURLToPath(new URL("./variants.ts", import.meta.url));
const NODE_OPTIONS = [
  "--expose-gc",
  "--experimental-strip-types",
  "--no-warnings",
  "--conditions=@vitrine/source",
];

const children = [];

async function start(name, url = "") {
  const child = fork(PROGRAM, [name, url], { execArgv: NODE_OPTIONS });
  children.push(child);
  const [{ port }] = await once(child, "message");
  return { name, pid: child.pid, port, call: httpCalls(port) };
}

/** Sends calls evenly, whether or not earlier ones were answered, and waits for all answers. */
async function pace({ call }, { rate, seconds }) {
  const begun = performance.now();
  const total = rate * seconds;
  const answers = [];
  while (answers.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - begun) * rate) / 1000) + 1);
    while (answers.length < due) answers.push(call(answers.length));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(answers);
}

/** Microseconds of CPU that each call took. */
async function measure(variant, rate) {
  const before = cpuOf(variant.pid);
  await pace(variant, { rate, seconds: SECONDS });
  // The audit log syncs its last records after the last answer.
  await new Promise((resolve) => setTimeout(resolve, 100));
  return (cpuOf(variant.pid) - before) / (rate * SECONDS);
}

async function compare(bare, ours, { rate, most }) {
  const samples = { bare: [], ours: [] };
  for (let turn = 0; turn < TURNS; turn++) {
    const order = turn % 2 ? ["ours", "bare"] : ["bare", "ours"];
    for (const name of order) {
      samples[name].push(await measure(name === "ours" ? ours : bare, rate));
    }
  }
  const ratios = samples.ours.map((time, turn) => time / samples.bare[turn]);
  const [low, ratio, high] = [0.1, 0.5, 0.9].map((share) => quantile(ratios, share));
  const median = (times) => toDecimal(quantile(times, 0.5), 0);
  return {
    row: [`${rate}/s`, median(samples.bare), median(samples.ours)],
    line: `${rate} calls/s: ${toDecimal(ratio)} × (${toDecimal(low)}–${toDecimal(high)}), at most ${most}`,
    ok: ratio <= most,
  };
}

async function run() {
  const machine = readMachineTime();
  const server = await start("bare-server");
  const url = `http://127.0.0.1:${server.port}/mcp`;
  const bare = await start("hop-bare", url);
  const ours = await start("proxy-audit", url);
  for (const variant of [bare, ours]) await pace(variant, WARM_UP);
  const results = [];
  for (const each of PACES) results.push(await compare(bare, ours, each));
  console.log(
    toTable(
      ["CPU, µs a call", "fastify + undici", "gateway, full audit"],
      results.map(({ row }) => row),
    ),
  );
  const now = readMachineTime();
  const busy = (now.busy - machine.busy) / (now.total - machine.total);
  console.log(
    `\n${TURNS} turns of ${SECONDS} s; the machine was ${toDecimal(busy * 100, 0)} % busy.`,
  );
  for (const { line, ok } of results) console.log(`${line}: ${ok ? "ok" : "FAIL"}`);
  return results.every(({ ok }) => ok);
}

try {
  if (!(await run())) process.exitCode = 1;
} finally {
  for (const child of children) child.disconnect();
  setTimeout(() => process.exit(), 500).unref();
}
