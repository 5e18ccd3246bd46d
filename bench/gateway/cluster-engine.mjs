// What the NATS engine adds to NATS, a part of cluster.mjs:
//
//   log   audit records acknowledged on three replicas, compared with one message for each record and with raw
//         messages of 64 KiB
//   bus   a request to a process on another node while nothing else runs, compared with the client's own request;
//         and the CPU of one when many are under way

import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { openNatsEngine } from "@vitrine/cluster";
import { toCount, toDecimal, toTable } from "../table.mjs";
import { median, quantile } from "../view/statistics.mjs";
import { startProgram } from "./bench-processes.mjs";
import { cpuOf } from "./process-cpu.mjs";

const BATCH = 128;
const AT_ONCE = 64;

// The process on the other node: it answers both ways.
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const server = process.argv[2];
  const nc = await connect({ servers: server });
  nc.subscribe("bare.echo", { queue: "serve", callback: (_, msg) => msg.respond(msg.data) });
  const engine = await openNatsEngine({ servers: [server], prefix: "bench" });
  engine.bus.serve("echo", async (body) => body);
  await nc.flush();
  await engine.kv("ready").put("echo", new Uint8Array());
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

/** Opens the part; the nodes stay its caller's. */
export async function openEnginePart(nats, { isQuick }) {
  const [first, second] = nats.urls;
  const batchCount = isQuick ? 100 : 300;
  const singles = isQuick ? 2_000 : 6_000;
  const asked = isQuick ? 600 : 2_000;
  const many = isQuick ? 8_000 : 30_000;
  const brokerCpu = () => cpuOf(...nats.nodes.map(({ pid }) => pid));
  const results = new Map();
  await startProgram(new URL(import.meta.url), [second]);
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

  /** Measures one variant: how long, and whose CPU. */
  const measure = async (name, units, work) => {
    const [own, broker] = [cpuOf(process.pid), brokerCpu()];
    const time = await work();
    const sample = {
      rate: (units / time) * 1_000,
      own: (cpuOf(process.pid) - own) / units,
      broker: (brokerCpu() - broker) / units,
    };
    results.set(name, [...(results.get(name) ?? []), sample]);
  };
  const latency = async (name, ask) => {
    const times = [];
    for (let n = 0; n < asked; n++) {
      const start = performance.now();
      await ask();
      times.push(performance.now() - start);
    }
    const list = results.get(name) ?? [];
    results.set(name, [...list, { p50: median(times), p99: quantile(times, 0.99) }]);
  };
  const of = (name, part) => median(results.get(name).map((sample) => sample[part]));
  const pairs = (name, other, part) =>
    median(results.get(name).map((sample, n) => sample[part] / results.get(other)[n][part]));

  return {
    round: async (round) => {
      // The first shows what an empty store and cold code can do.
      if (round === 1) results.clear();
      const single = (n) => js.publish("single.a", records[n % records.length]);
      const raw = (n) => js.publish("raw.a", raws[n % raws.length]);
      const ours = (n) =>
        engine.log.append("audit", batches[n % batches.length], { id: `${round}:${n}` });
      const variants = [
        ["one message each", singles, () => run(singles, AT_ONCE, single)],
        ["raw 64 KiB", batchCount * BATCH, () => run(batchCount, 4, raw)],
        ["engine", batchCount * BATCH, () => run(batchCount, 4, ours)],
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
        await measure(name, many, () => run(many, AT_ONCE, ask));
      }
    },
    report: () => {
      const logs = ["one message each", "raw 64 KiB", "engine"].map((name) => [
        name,
        toCount(of(name, "rate")),
        toDecimal((of(name, "rate") * meanBytes) / 2 ** 20, 1),
        toDecimal(of(name, "own")),
        toDecimal(of(name, "broker")),
      ]);
      const idle = ["idle, bare", "idle, engine"].map((name) => [
        name,
        toDecimal(of(name, "p50"), 3),
        toDecimal(of(name, "p99"), 3),
      ]);
      const busy = ["many, bare", "many, bare lean", "many, engine"].map((name) => [
        name,
        toCount(of(name, "rate")),
        toDecimal(of(name, "own")),
        toDecimal(of(name, "broker")),
      ]);
      const log = `log, 3 replicas, ${toCount(meanBytes)} B`;
      return {
        tables: [
          toTable([log, "records/s", "MiB/s", "client µs", "brokers µs"], logs),
          toTable(["bus, one at a time", "p50 ms", "p99 ms"], idle),
          toTable([`bus, ${AT_ONCE} at once`, "requests/s", "asker µs", "brokers µs"], busy),
        ],
        figures: [
          {
            what: "audit records/s ÷ one message each",
            value: pairs("engine", "one message each", "rate"),
          },
          {
            what: "audit bytes/s ÷ raw 64 KiB",
            value: pairs("engine", "raw 64 KiB", "rate"),
          },
          {
            what: "idle request p50 ÷ bare",
            value: pairs("idle, engine", "idle, bare", "p50"),
          },
        ],
      };
    },
    close: () => Promise.all([engine.close(), nc.close(), bare.close()]),
  };
}
