// What the NATS engine adds to NATS, on a cluster of three nats-servers on this machine, all in turns within
// one run:
//
//   log   audit records acknowledged on three replicas, beside one message for each record and beside raw
//         messages of 64 KiB
//   bus   a request to a process on another node while nothing else goes on, beside the client's own request;
//         and the CPU of one when many are under way
//
//   node --experimental-strip-types --no-warnings --conditions=@vitrine/source bench/gateway/cluster-engine.mjs

import { fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { openNatsEngine } from "@vitrine/gateway/nats";
import { startNats } from "../../testing/src/nats-server.ts";
import { toCount, toDecimal, toTable } from "../table.mjs";
import { readMachineTime } from "../view/processor-time.mjs";
import { median, quantile } from "../view/statistics.mjs";

const isQuick = process.argv.includes("--quick");
const ROUNDS = isQuick ? 5 : 15;
const BATCH = 128;
const BATCHES = isQuick ? 150 : 300;
const SINGLES = isQuick ? 3_000 : 6_000;
const ASKED = isQuick ? 800 : 2_000;
const MANY = isQuick ? 10_000 : 30_000;
const AT_ONCE = 64;

/** What has to hold. */
const LEAST_TIMES_BARE = 8;
const LEAST_OF_RAW = 0.8;
const MOST_TIMES_BARE = 1.6;

// The process on the other node: it answers both ways.
if (process.argv[2] === "answer") {
  const server = process.argv[3];
  const nc = await connect({ servers: server });
  nc.subscribe("bare.echo", { queue: "serve", callback: (_, msg) => msg.respond(msg.data) });
  const engine = await openNatsEngine({ servers: [server], prefix: "bench" });
  engine.bus.serve("echo", async (body) => body);
  await nc.flush();
  await engine.kv("ready").put("echo", new Uint8Array());
  process.on("message", () => process.send({ cpu: ownCpu() }));
  process.send({ ready: true });
  await once(process, "disconnect");
  process.exit(0);
}

/** Audit records as they are stored: much alike, with hashes that are not. */
function makeRecords(count) {
  return Array.from({ length: count }, (_, n) => {
    const hash = () => createHash("sha256").update(randomBytes(8)).digest("hex");
    const record = {
      sequence: n,
      time: new Date(1.8e12 + n * 7).toISOString(),
      event: n % 2 ? "request" : "answer",
      actor: { tenant: "acme", user: `user-${n % 500}@example.com`, view: `v-${n % 997}` },
      server: "weather",
      method: "tools/call",
      tool: "forecast",
      decision: { verdict: "allow", link: "consent" },
      sizes: { received: 300 + (n % 200) },
      trace: hash().slice(0, 32),
      digest: { arguments: hash(), result: hash() },
    };
    return Buffer.from(JSON.stringify(record));
  });
}

/** Does so many, so many at once; milliseconds. */
async function run(count, atOnce, once_) {
  let next = 0;
  const start = performance.now();
  const work = async () => {
    while (next < count) await once_(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return performance.now() - start;
}

function ownCpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const servers = await startNats({ nodes: 3 });
const [first, second] = servers.urls;
const brokerCpu = () =>
  servers.nodes.reduce((sum, { pid }) => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return sum + (Number(fields[11]) + Number(fields[12])) * 10;
  }, 0);
const options = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];
const child = fork(fileURLToPath(import.meta.url), ["answer", second], { execArgv: options });
const results = new Map();
const before = readMachineTime();
const ownBefore = ownCpu();

/** Measures one variant: how long, and whose CPU. */
async function measure(name, units, work) {
  const [own, broker] = [ownCpu(), brokerCpu()];
  const time = await work();
  const sample = {
    rate: (units / time) * 1_000,
    own: ((ownCpu() - own) * 1_000) / units,
    broker: ((brokerCpu() - broker) * 1_000) / units,
  };
  results.set(name, [...(results.get(name) ?? []), sample]);
}

let failed = false;
try {
  await once(child, "message");
  const nc = await connect({ servers: first });
  const bare = await connect({ servers: first, noAsyncTraces: true });
  const jsm = await jetstreamManager(nc);
  for (const name of ["single", "raw"]) {
    await jsm.streams.add({ name, subjects: [`${name}.>`], num_replicas: 3, storage: "file" });
  }
  const js = jetstream(nc);
  const engine = await openNatsEngine({ servers: [first], prefix: "bench" });
  const records = makeRecords(BATCH * 32);
  const batches = Array.from({ length: 32 }, (_, n) => records.slice(n * BATCH, (n + 1) * BATCH));
  const raws = batches.map((batch) => Buffer.concat(batch));
  const meanBytes = raws.reduce((sum, raw) => sum + raw.length, 0) / records.length;
  const body = randomBytes(500);
  const askBare = () => nc.request("bare.echo", body, { timeout: 10_000 });
  const askLean = () => bare.request("bare.echo", body, { timeout: 10_000 });
  const askOurs = () => engine.bus.request("echo", body, { deadline: 10_000 });

  const latency = async (name, ask) => {
    const times = [];
    for (let n = 0; n < ASKED; n++) {
      const start = performance.now();
      await ask();
      times.push(performance.now() - start);
    }
    const list = results.get(name) ?? [];
    results.set(name, [...list, { p50: median(times), p99: quantile(times, 0.99) }]);
  };

  for (let round = 0; round < ROUNDS; round++) {
    const single = (n) => js.publish("single.a", records[n % records.length]);
    const raw = (n) => js.publish("raw.a", raws[n % raws.length]);
    const ours = (n) =>
      engine.log.append("audit", batches[n % batches.length], { id: `${round}:${n}` });
    const variants = [
      ["one message each", SINGLES, () => run(SINGLES, AT_ONCE, single)],
      ["raw 64 KiB", BATCHES * BATCH, () => run(BATCHES, 4, raw)],
      ["engine", BATCHES * BATCH, () => run(BATCHES, 4, ours)],
    ];
    const idle = [
      ["idle, bare", askBare],
      ["idle, engine", askOurs],
    ];
    const busy = [
      ["many, bare", askBare],
      ["many, bare lean", askLean],
      ["many, engine", askOurs],
    ];
    // Nobody is always first.
    const turn = (list) => list.map((_, n) => list[(n + round) % list.length]);
    for (const [name, units, work] of turn(variants)) await measure(name, units, work);
    await jsm.streams.purge("single");
    await jsm.streams.purge("raw");
    await engine.log.trim("audit", Number.MAX_SAFE_INTEGER);
    for (const [name, ask] of turn(idle)) await latency(name, ask);
    for (const [name, ask] of turn(busy)) {
      await measure(name, MANY, () => run(MANY, AT_ONCE, ask));
    }
  }

  const of = (name, part) =>
    median(
      results
        .get(name)
        .slice(1)
        .map((sample) => sample[part]),
    );
  const pairs = (name, other, part) =>
    median(
      results
        .get(name)
        .slice(1)
        .map((sample, n) => sample[part] / results.get(other)[n + 1][part]),
    );
  const logs = ["one message each", "raw 64 KiB", "engine"].map((name) => [
    name,
    toCount(of(name, "rate")),
    toDecimal((of(name, "rate") * meanBytes) / 2 ** 20, 1),
    toDecimal(of(name, "own")),
    toDecimal(of(name, "broker")),
  ]);
  console.log(toTable(["log, 3 replicas", "records/s", "MiB/s", "client µs", "brokers µs"], logs));
  const idleRows = ["idle, bare", "idle, engine"].map((name) => [
    name,
    toDecimal(of(name, "p50"), 3),
    toDecimal(of(name, "p99"), 3),
  ]);
  console.log(`\n${toTable(["bus, one at a time", "p50 ms", "p99 ms"], idleRows)}`);
  const busyRows = ["many, bare", "many, bare lean", "many, engine"].map((name) => [
    name,
    toCount(of(name, "rate")),
    toDecimal(of(name, "own")),
    toDecimal(of(name, "broker")),
  ]);
  console.log(
    `\n${toTable([`bus, ${AT_ONCE} at once`, "requests/s", "asker µs", "brokers µs"], busyRows)}`,
  );
  const after = readMachineTime();
  const used = ownCpu() - ownBefore + brokerCpu();
  const others = (100 * (after.busy - before.busy - used)) / (after.total - before.total);
  console.log(
    `\n${ROUNDS} rounds, records of ${toCount(meanBytes)} bytes, medians of ratios within a round; others and the answering process used ${toDecimal(others, 0)} % of the machine.`,
  );
  const figures = [
    [
      "records/s ÷ one message each",
      pairs("engine", "one message each", "rate"),
      ">=",
      LEAST_TIMES_BARE,
    ],
    ["bytes/s ÷ raw 64 KiB", pairs("engine", "raw 64 KiB", "rate"), ">=", LEAST_OF_RAW],
    ["idle request p50 ÷ bare", pairs("idle, engine", "idle, bare", "p50"), "<=", MOST_TIMES_BARE],
  ];
  for (const [what, value, sign, limit] of figures) {
    const ok = sign === ">=" ? value >= limit : value <= limit;
    failed ||= !ok;
    console.log(
      `${what}: ${toDecimal(value)}, has to be ${sign} ${limit}: ${ok ? "ok" : "FAILED"}`,
    );
  }
  await Promise.all([engine.close(), nc.close(), bare.close()]);
} finally {
  child.disconnect();
  await servers.stop();
}
process.exitCode = failed ? 1 : 0;
