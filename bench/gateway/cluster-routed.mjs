// What a call costs that another process has to answer, a part of cluster.mjs. Three gateways without audit:
//
//   alone   one process on the memory engine
//   owner   has the child or session of the server, on NATS
//   edge    has not, and passes calls on to the owner over NATS
//
// The server `bench` answers within the process that has it, so that what is left is the gateway; `program`
// is a child with JSON lines. A hundred Views call, each waits for its answer.

import { toDecimal, toTable } from "../table.mjs";
import { median } from "../view/statistics.mjs";
import { startProgram } from "./bench-processes.mjs";
import { cpuOf } from "./process-cpu.mjs";
import { callInTurns, openViews } from "./view-load.mjs";

const VIEWS = 100;
/** Two processes of the same code differ by some per cent from start to start; so do several by less. */
const PAIRS = 3;
const PROGRAM = new URL("./cluster-gateways.ts", import.meta.url);

/** Opens the part. `modern` is the address of a server without sessions. */
export async function openRoutedPart(nats, { isQuick, modern }) {
  const calls = isQuick ? 3_000 : 6_000;
  const gateways = {
    alone: await startProgram(PROGRAM, ["alone", modern]),
    owner: await startProgram(PROGRAM, ["owner", modern, "routed", nats.urls[1]]),
    edge: await startProgram(PROGRAM, ["edge", modern, "routed", nats.urls[0]]),
  };
  // Processes of their own: what else a process has to do makes the code that all calls share slower.
  const modernOnes = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    modernOnes.push({
      alone: await startProgram(PROGRAM, ["alone", modern]),
      edge: await startProgram(PROGRAM, ["edge", modern, "routed", nats.urls[pair]]),
    });
  }
  const variants = [];
  const add = async (server, group) => {
    for (const [where, { port, pid }] of Object.entries(group)) {
      const views = await openViews({ port, server }, VIEWS);
      variants.push({ server, where, views, pid });
    }
  };
  for (const server of ["bench", "program"]) await add(server, gateways);
  for (const pair of modernOnes) await add("modern", pair);
  const samples = [];
  for (const { views } of variants) await callInTurns(views, isQuick ? 10_000 : 20_000);

  const of = (name, who) => median(samples.map((sample) => sample[name][who]));
  const ratio = (top, bottom) => median(samples.map((sample) => top(sample) / bottom(sample)));

  return {
    round: async (round) => {
      const sample = {};
      const brokers = nats.nodes.map(({ pid }) => pid);
      for (const { server, where, views, pid } of round % 2 ? variants.toReversed() : variants) {
        const pids = { owner: [gateways.owner.pid], nats: brokers, [where]: [pid] };
        const share = server === "modern" ? calls / PAIRS : calls;
        // While others had their turn, code and connections went cold.
        await callInTurns(views, 2 * VIEWS);
        const before = Object.entries(pids).map(([who, list]) => [who, cpuOf(...list)]);
        await callInTurns(views, share);
        const name = `${server} ${where}`;
        sample[name] ??= {};
        const sums = sample[name];
        for (const [who, cpu] of before)
          sums[who] = (sums[who] ?? 0) + (cpuOf(...pids[who]) - cpu) / calls;
      }
      samples.push(sample);
    },
    report: () => {
      const rows = [
        ["policy alone, no cluster", "bench alone"],
        ["at its owner", "bench owner"],
        ["routed", "bench edge"],
        ["program, alone", "program alone"],
        ["program, at its owner", "program owner"],
        ["program, routed", "program edge"],
        ["modern server, alone", "modern alone"],
        ["modern server, on the cluster", "modern edge"],
      ].map(([title, name]) => {
        const [first, second] = name.endsWith("alone") ? ["alone", ""] : ["edge", "owner"];
        const cells = [of(name, first), second ? of(name, second) : Number.NaN, of(name, "nats")];
        return [title, ...cells.map((cell) => toDecimal(cell, 1))];
      });
      const both = ({ edge, owner }) => edge + owner;
      const readings = [
        [
          "program at its owner ÷ edge",
          ratio(
            (s) => s["program owner"].owner,
            (s) => s["program edge"].edge,
          ),
        ],
        [
          "call at its owner ÷ edge and owner",
          ratio(
            (s) => s["bench owner"].owner,
            (s) => both(s["bench edge"]),
          ),
        ],
        [
          "program at its owner ÷ edge and owner",
          ratio(
            (s) => s["program owner"].owner,
            (s) => both(s["program edge"]),
          ),
        ],
      ].map(([what, value]) => [what, toDecimal(value)]);
      return {
        tables: [
          toTable(["CPU, µs a call", "edge (or alone)", "owner", "NATS nodes"], rows),
          toTable(["routed call, other readings", ""], readings),
        ],
        figures: [
          {
            what: "local policy call ÷ routed call, CPU of the gateway called",
            value: ratio(
              (s) => s["bench alone"].alone,
              (s) => s["bench edge"].edge,
            ),
          },
          {
            what: "modern call on a cluster ÷ alone, CPU, no audit",
            value: ratio(
              (s) => s["modern edge"].edge,
              (s) => s["modern alone"].alone,
            ),
          },
        ],
      };
    },
    close: async () => {
      for (const { views } of variants) for (const view of views) view.terminate();
    },
  };
}
