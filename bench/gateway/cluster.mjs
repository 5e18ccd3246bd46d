// `npm run bench:cluster`: what a cluster costs, on three nats-servers on this machine, everything in turns
// within one run. Figures come last. Only those of a dead NATS have a limit. See ../README.md.

import { startNats } from "../../internal/src/nats-server.ts";
import { toDecimal } from "../table.mjs";
import { readMachineTime } from "../view/processor-time.mjs";
import { startProgram } from "./bench-processes.mjs";
import { openEnginePart } from "./cluster-engine.mjs";
import { openModernPart } from "./cluster-modern.mjs";
import { openRoutedPart } from "./cluster-routed.mjs";

const isQuick = process.argv.includes("--quick");
const ROUNDS = isQuick ? 5 : 15;
const AWAY_ROUNDS = isQuick ? 3 : 8;
const ECHO = new URL("./echo-server.mjs", import.meta.url);

/** The share of the machine that was busy: with what was asked of it here, and with what was not. */
function watchMachine() {
  const before = readMachineTime();
  return () => {
    const { busy, total } = readMachineTime();
    return (100 * (busy - before.busy)) / (total - before.total);
  };
}

/** All parts in turns, then those that live without NATS. */
async function measure(nats, parts, options) {
  const engine = await openEnginePart(nats, options);
  const routed = await openRoutedPart(nats, options);
  const modern = await openModernPart(nats, options);
  parts.push(engine, routed, modern);
  for (let round = 0; round < ROUNDS; round++) {
    for (const part of parts) await part.round(round);
    if (process.stderr.isTTY) process.stderr.write(`\rround ${round + 1} `);
  }
  await Promise.all([engine.close(), routed.close()]);
  await modern.loseNats(AWAY_ROUNDS);
}

/** Prints the figures; true if all that have a limit keep it. */
function judge(figures) {
  const verdicts = figures.map(({ what, value, most }) => {
    const isGood = most === undefined || value <= most;
    const limit = most === undefined ? "" : `, at most ${most}: ${isGood ? "ok" : "FAILED"}`;
    console.log(`${what}: ${toDecimal(value)}${limit}`);
    return isGood;
  });
  return verdicts.every(Boolean);
}

async function run() {
  const nats = await startNats({ nodes: 3 });
  const parts = [];
  try {
    // Before our own processes start: the load now is other work.
    const outside = watchMachine();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const others = outside();
    const { port } = await startProgram(ECHO, ["http"]);
    await measure(nats, parts, { isQuick, modern: `http://127.0.0.1:${port}/mcp` });
    const reports = parts.map((part) => part.report());
    console.log(reports.flatMap(({ tables }) => tables).join("\n\n"));
    console.log(
      `\n${ROUNDS} rounds, medians of ratios within a round. Other work kept ${toDecimal(others, 0)} % of the machine busy before, the whole run ${toDecimal(outside(), 0)} %, this bench included.\n`,
    );
    return judge(reports.flatMap(({ figures }) => figures));
  } finally {
    await Promise.allSettled(parts.map((part) => part.close()));
    await nats.stop();
  }
}

if (!(await run())) process.exitCode = 1;
// Nothing that was started may hold it; see bench-processes.mjs.
process.exit();
