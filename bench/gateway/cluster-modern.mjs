// What a cluster costs a call to a server without sessions, a part of cluster.mjs: the gateway's own program
// with its audit log at the level `full`, three of them alone on SQLite, and three together
// on NATS with a spool; they are called one after the other. Then the same with all of NATS killed.

import { join } from "node:path";
import { createKeyFiles } from "../../packages/gateway/src/service/key-files.ts";
import { toDecimal, toTable } from "../table.mjs";
import { median } from "../view/statistics.mjs";
import { makeFolder, startGateway } from "./bench-processes.mjs";
import { cpuOf } from "./process-cpu.mjs";
import { callAtPace, callInTurns, openViews } from "./view-load.mjs";

const VIEWS = 32;
/** Two processes of the same code differ by some per cent from start to start; so do several by less. */
const PAIRS = 3;
/** Calls a second at which latency is taken: far from what a process can do. */
const PACE = 100;
const MOST_AWAY = 1.05;
const MOST_LATENCY = 1.2;

/** Opens the part. `modern` is the address of a server without sessions. */
export async function openModernPart(nats, { isQuick, modern }) {
  const calls = isQuick ? 800 : 2_000;
  const time = isQuick ? 500 : 1_000;
  const servers = { modern: { url: modern, private: true, consent: "host", era: "modern" } };
  const audit = { level: "full", mode: "spool" };
  const folder = makeFolder();
  await createKeyFiles(join(folder, "keys"));
  const variants = [];
  const add = async (name, gateway) => {
    const views = await openViews({ ...gateway, server: "modern" }, VIEWS);
    await callInTurns(views, isQuick ? 8_000 : 20_000);
    variants.push({ name, views, pid: gateway.pid });
  };
  for (let place = 0; place < PAIRS; place++) {
    const name = `g${place + 1}`;
    const sqlite = { driver: "sqlite", folder: `alone-${name}` };
    const urls = [...nats.urls.slice(place), ...nats.urls.slice(0, place)];
    const shared = { driver: "nats", servers: urls, node: name, prefix: "modern" };
    const keys = { folder: "keys" };
    const config = { keys, engine: { ...shared, folder: name }, audit, servers };
    const alone = { engine: sqlite, audit, servers };
    await add("alone", await startGateway(alone, { folder, name: `alone-${name}` }));
    await add("cluster", await startGateway(config, { folder, name }));
  }
  const samples = { up: [], away: [] };

  const round = async (number, state) => {
    const sample = {};
    for (const { name, views, pid } of number % 2 ? variants.toReversed() : variants) {
      await callInTurns(views, 4 * VIEWS);
      const before = cpuOf(pid);
      await callInTurns(views, calls);
      // The rest of the log belongs to these calls too.
      await new Promise((resolve) => setTimeout(resolve, 100));
      const cpu = (cpuOf(pid) - before) / calls;
      const { times, failed, calls: made } = await callAtPace(views, { rate: PACE, time });
      sample[name] ??= { cpu: 0, p50: 0, failed: 0, made: 0 };
      const sums = sample[name];
      sums.cpu += cpu / PAIRS;
      sums.p50 += median(times) / PAIRS;
      sums.failed += failed.length;
      sums.made += made + calls;
    }
    samples[state].push(sample);
  };
  const of = (state, name, part) => median(samples[state].map((sample) => sample[name][part]));
  const ratio = (state, part) =>
    median(samples[state].map(({ cluster: many, alone: one }) => many[part] / one[part]));
  const sum = (part) => samples.away.reduce((total, { cluster: many }) => total + many[part], 0);

  return {
    round: (number) => round(number, "up"),
    /** Kills NATS; it stays dead. */
    loseNats: async (rounds) => {
      await Promise.all(nats.nodes.map((node) => node.kill()));
      // Until the clients have noticed, and leases have run out.
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      for (let number = 0; number < rounds; number++) await round(number, "away");
    },
    report: () => {
      const rows = [
        ["alone", "up", "alone"],
        ["on the cluster", "up", "cluster"],
        ["alone, later", "away", "alone"],
        ["on the cluster, NATS dead", "away", "cluster"],
      ].map(([title, state, name]) => [
        title,
        toDecimal(of(state, name, "cpu"), 1),
        toDecimal(of(state, name, "p50"), 2),
      ]);
      const failures = (100 * sum("failed")) / sum("made");
      return {
        tables: [toTable(["modern server, full audit", "CPU, µs a call", "p50 ms"], rows)],
        figures: [
          {
            what: "modern call on a cluster ÷ alone, CPU, full audit",
            value: ratio("up", "cpu"),
            most: MOST_AWAY,
          },
          { what: "failed calls while NATS is dead, %", value: failures, most: 0 },
          {
            what: "modern call, NATS dead ÷ alone, CPU, full audit",
            value: ratio("away", "cpu"),
            most: MOST_AWAY,
          },
          {
            what: "modern call, NATS dead ÷ alone, p50",
            value: ratio("away", "p50"),
            most: MOST_LATENCY,
          },
        ],
      };
    },
    close: async () => {
      for (const { views } of variants) for (const view of views) view.terminate();
    },
  };
}
