// `npm run bench:scale`: clusters of one, two and three gateways on a three-node NATS, the same paced work for
// each gateway, in turns. What a call costs must not change with their number. It changes with how busy the
// machine is, by more than that: so three gateways work in each turn, those that are not measured in clusters of
// their own. With `--write` the figures go to figures/scale.json and into the tables of docs/scale.md. See
// ../README.md.

import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { startNats } from "../../internal/src/nats-server.ts";
import { toCount, toDecimal, toTable } from "../table.mjs";
import { readMachineTime } from "../view/processor-time.mjs";
import { median } from "../view/statistics.mjs";
import { startProgram } from "./bench-processes.mjs";
import { cpuOf, residentOf } from "./process-cpu.mjs";
import { writeTables } from "./scale-document.mjs";
import { openSite } from "./scale-sites.mjs";
import { callAtPace, callInTurns, openViews } from "./view-load.mjs";

const isQuick = process.argv.includes("--quick");
/** Only what Views take that say nothing; the rest stays as it was measured. */
const isWeightOnly = process.argv.includes("--weight");
const ROUNDS = isQuick ? 3 : 9;
const TIME = isQuick ? 2_000 : 4_000;
/** Calls a second of each gateway: three of them, their callers and NATS together leave a core free. */
const RATE = isQuick ? 300 : 500;
/** A batch of the log costs the same for any number of records, so a call costs more when there are few. */
const LOW_RATE = isQuick ? 75 : 125;
const WARM_UP = isQuick ? 2_000 : 8_000;
const IDLE_VIEWS = isQuick ? 1_000 : 4_000;
/** Longer than the time between two pings of a View. */
const IDLE_TIME = isQuick ? 10_000 : 65_000;
const MOST_RISE = 1.1;
const SIZES = [1, 2, 3];
const LOADS = [
  { name: "modern", server: "modern", rate: RATE },
  { name: "modern, few", server: "modern", rate: LOW_RATE },
  { name: "program", server: "program", rate: RATE },
];
const FIGURES = fileURLToPath(new URL("./figures/scale.json", import.meta.url));

const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** Bytes of the audit streams of a prefix on one replica; they are compressed. */
async function storedOf(jsm, prefix) {
  let bytes = 0;
  for await (const { config, state } of jsm.streams.list()) {
    const isLog = config.subjects?.some((subject) => subject.startsWith(`${prefix}.log.`));
    if (isLog) bytes += state.bytes;
  }
  return bytes;
}

/** One turn of one site with one server: CPU of its gateways and of NATS for each call. */
async function measure({ site, beside }, { server, rate }, nats) {
  const natsPids = nats.nodes.map(({ pid }) => pid);
  const before = { own: cpuOf(...site.pids), nats: cpuOf(...natsPids), at: performance.now() };
  const callAll = (one) =>
    Promise.all(one.views[server].map((views) => callAtPace(views, { rate, time: TIME })));
  const [told, ...others] = await Promise.all([site, ...beside].map(callAll));
  // The log of these calls is theirs too.
  await sleep(300);
  const calls = told.reduce((sum, each) => sum + each.calls, 0);
  const allCalls = others.flat().reduce((sum, each) => sum + each.calls, calls);
  const failed = told.flatMap((each) => each.failed);
  // On a machine that is too busy leases run out, and what was under way is of unknown outcome.
  if (failed.length > 0) console.log(`${server}, ${site.size}: left out, failed: ${failed[0]}`);
  return {
    cpu: (cpuOf(...site.pids) - before.own) / calls,
    nats: cpuOf(...natsPids) - before.nats,
    /** Calls of each gateway, and the CPU it used per second. */
    rate: calls / site.size / (TIME / 1_000),
    busy: (cpuOf(...site.pids) - before.own) / site.size / (TIME / 1_000),
    seconds: (performance.now() - before.at) / 1_000,
    calls,
    allCalls,
    isGood: failed.length === 0,
    p50: median(told.flatMap((each) => each.times)),
  };
}

/** What gateways and NATS use while nobody calls, in microseconds a second. */
async function measureIdle(pids, time) {
  const before = cpuOf(...pids);
  await sleep(time);
  return (cpuOf(...pids) - before) / (time / 1_000);
}

/** Memory and CPU of Views that are connected and say nothing. */
async function weighViews(gateway) {
  const base = { bytes: residentOf(gateway.pid), cpu: await measureIdle([gateway.pid], 5_000) };
  const views = await openViews({ ...gateway, server: "modern" }, IDLE_VIEWS);
  await sleep(2_000);
  const bytes = (residentOf(gateway.pid) - base.bytes) / IDLE_VIEWS;
  const cpu = (await measureIdle([gateway.pid], IDLE_TIME)) - base.cpu;
  for (const view of views) view.terminate();
  return { base: base.bytes, bytes, cpu: Math.max(0, cpu) / IDLE_VIEWS };
}

/** Every site with every server, in turns; so many rounds. */
async function measureSites(turns, nats, jsm) {
  const samples = [];
  const stored = { bytes: 0, calls: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const sample = {};
    const order = round % 2 ? turns.toReversed() : turns;
    for (const [turn, load] of order.flatMap((each) => LOADS.map((one) => [each, one]))) {
      const { site } = turn;
      const before = await storedOf(jsm, site.prefix);
      const each = await measure(turn, load, nats);
      stored.bytes += (await storedOf(jsm, site.prefix)) - before;
      stored.calls += each.calls;
      sample[`${load.name} ${site.size}`] = each;
    }
    if (Object.values(sample).every(({ isGood }) => isGood)) samples.push(sample);
    if (process.stderr.isTTY) process.stderr.write(`\rround ${round + 1} `);
  }
  if (samples.length * 2 < ROUNDS) throw new Error("Calls failed in most rounds.");
  return { samples, stored };
}

async function warmUp(sites) {
  for (const views of sites.flatMap((site) => Object.values(site.views).flat())) {
    await callInTurns(views, WARM_UP);
  }
  await sleep(2_000);
}

async function run() {
  const machine = readMachineTime();
  const nats = await startNats({ nodes: 3 });
  try {
    const { port } = await startProgram(new URL("./echo-server.mjs", import.meta.url), ["http"]);
    const modern = `http://127.0.0.1:${port}/mcp`;
    // Of one that has done nothing: what calls have left behind is more than what Views take.
    const fresh = await openSite(nats, { name: "views", size: 1, modern });
    const weight = await weighViews(fresh.gateways[0]);
    if (isWeightOnly) return { weight };
    const sites = [];
    for (const [name, size] of Object.entries({ a: 1, b: 1, c: 1, two: 2, three: 3 }))
      sites.push(await openSite(nats, { name, size, modern }));
    await warmUp(sites);
    const [first, second, third, two, three] = sites;
    const turns = [
      { site: first, beside: [second, third] },
      { site: two, beside: [first] },
      { site: three, beside: [] },
    ];
    const pids = sites.flatMap((site) => site.pids);
    const natsPids = nats.nodes.map(({ pid }) => pid);
    const idle = {
      nats: await measureIdle(natsPids, 5_000),
      gateway: (await measureIdle(pids, 5_000)) / pids.length,
    };
    const nc = await connect({ servers: nats.urls[0] });
    const measured = await measureSites(turns, nats, await jetstreamManager(nc));
    await nc.close();
    const { busy, total } = readMachineTime();
    const load = (100 * (busy - machine.busy)) / (total - machine.total);
    return { ...measured, idle, weight, load };
  } finally {
    await nats.stop();
  }
}

function weightFigures({ base, bytes, cpu }) {
  return { gatewayBytes: base, viewBytes: bytes, viewCpu: cpu };
}

function report({ samples, idle, stored, weight, load }) {
  const of = (name, part) => median(samples.map((sample) => sample[name][part]));
  const natsOf = (name) =>
    median(
      samples.map(({ [name]: { nats, seconds, allCalls } }) =>
        Math.max(0, (nats - idle.nats * seconds) / allCalls),
      ),
    );
  const rows = LOADS.flatMap(({ name: load, rate }) =>
    SIZES.map((size) => {
      const name = `${load} ${size}`;
      const cells = [of(name, "cpu"), natsOf(name), of(name, "p50")];
      const title = `${load}: ${size} × ${rate} calls/s`;
      return [title, ...cells.map((cell) => toDecimal(cell, 1))];
    }),
  );
  console.log(toTable(["µs of CPU a call, full audit", "gateways", "NATS", "p50 ms"], rows));
  const rest = [
    ["CPU of an idle gateway, µs/s", toCount(idle.gateway)],
    ["CPU of three idle NATS nodes with nine gateways, µs/s", toCount(idle.nats)],
    ["memory of a gateway before the Views, MiB", toDecimal(weight.base / 2 ** 20, 0)],
    ["memory of an idle View, bytes", toCount(weight.bytes)],
    ["CPU of an idle View, µs/s", toDecimal(weight.cpu, 2)],
    ["audit, stored bytes a call on each replica", toCount(stored.bytes / stored.calls)],
  ];
  console.log(`\n${toTable(["", "measured"], rest)}`);
  console.log(
    `\n${samples.length} rounds of ${TIME / 1_000} s, medians; the machine was ${toDecimal(load, 0)} % busy, this bench included.\n`,
  );
  const ratio = (size) =>
    median(samples.map((sample) => sample[`modern ${size}`].cpu / sample["modern 1"].cpu));
  const verdicts = [2, 3].map((size) => {
    const value = ratio(size);
    const isGood = value <= MOST_RISE && value >= 2 - MOST_RISE;
    const words = `has to be within ${toDecimal(2 - MOST_RISE, 1)} and ${MOST_RISE}`;
    console.log(
      `CPU of a modern call, ${size} gateways ÷ 1: ${toDecimal(value)}, ${words}: ${isGood ? "ok" : "FAILED"}`,
    );
    return isGood;
  });
  // A line through two loads: what a process uses because there are calls, and what each of them adds.
  const lines = samples.map(({ "modern 3": many, "modern, few 3": few }) => {
    const slope = Math.max(1, (many.busy - few.busy) / (many.rate - few.rate));
    return { slope, constant: Math.max(0, few.busy - slope * few.rate) };
  });
  const modernCpu = median(lines.map((line) => line.slope));
  // A call to the program is passed on unless its gateway is the owner: of three, two thirds.
  const local = of("program 1", "cpu");
  const hop = Math.max(0, (of("program 3", "cpu") - local) / (2 / 3));
  const figures = {
    measuredAt: new Date().toISOString().slice(0, 10),
    command: `npm run bench:scale --${isQuick ? " --quick" : ""} --write`,
    machine: { cores: cpus().length, busyPercent: Math.round(load), isQuick },
    rates: [LOW_RATE, RATE],
    modernCpu,
    // At the same load the log has the same batches, so that the difference is the calls' own.
    statefulCpu: Math.max(1, modernCpu + local - of("modern 1", "cpu")),
    hopCpu: hop,
    processCpu: median(lines.map((line) => line.constant)),
    natsCpuModern: natsOf("modern 3"),
    natsCpuStateful: natsOf("program 3"),
    idleGatewayCpu: idle.gateway,
    idleNatsCpu: idle.nats,
    ...weightFigures(weight),
    auditBytes: stored.bytes / stored.calls,
    curve: SIZES.map((size) => of(`modern ${size}`, "cpu")),
    curveFew: SIZES.map((size) => of(`modern, few ${size}`, "cpu")),
  };
  return { isGood: verdicts.every(Boolean), figures };
}

/** Two digits after the point are more than such a measurement has. */
const rounded = (_, value) =>
  typeof value === "number" && !Number.isInteger(value) ? Number(value.toFixed(2)) : value;

const before = () => JSON.parse(readFileSync(FIGURES, "utf8"));

function keep(figures) {
  if (!process.argv.includes("--write")) return;
  const text = JSON.stringify(figures, rounded, 2);
  // Lists on one line, as the formatter has them.
  const tidy = text.replace(/\[\s+([^\]]*?)\s+\]/g, (_, list) => `[${list.replace(/\s+/g, " ")}]`);
  writeFileSync(FIGURES, `${tidy}\n`);
  writeTables(before());
}

if (process.argv.includes("--tables")) {
  // Recalculates earlier measurements.
  writeTables(before());
} else if (isWeightOnly) {
  const { weight } = await run();
  console.log(
    `an idle View: ${toCount(weight.bytes)} bytes, ${toDecimal(weight.cpu, 2)} µs of CPU a second`,
  );
  keep({ ...before(), ...weightFigures(weight) });
} else {
  const { isGood, figures } = report(await run());
  keep(figures);
  if (!isGood) process.exitCode = 1;
}
process.exit();
