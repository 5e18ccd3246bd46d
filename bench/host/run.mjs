// The Host bench: ours, official and hand-written, each with its own frames and sandbox. See ../README.md.

import { createCleanUp } from "../view/clean-up.mjs";
import { readMachineTime } from "../view/processor-time.mjs";
import { untilStopped } from "../view/stop.mjs";
import { measureHeap } from "./heap.mjs";
import { createPages } from "./pages.mjs";
import { judge, toNotes, toTables } from "./report.mjs";
import { runColdRounds, runCrowdRounds, runWarmRounds } from "./rounds.mjs";
import { startServers } from "./servers.mjs";

// Rounds of each kind, calls in a slice, and seconds after which something must be wrong.
const FULL = { cold: 15, warm: 12, crowd: 4, calls: 200, limit: 1_200 };
const QUICK = { cold: 4, warm: 3, crowd: 1, calls: 100, limit: 420 };

async function measure(plan, cleanUp) {
  const pages = createPages(cleanUp);
  const servers = await startServers(pages);
  await cleanUp.add(servers.close);
  const start = (options) => pages.start(servers.hostUrl, options);
  const before = readMachineTime();
  const work = { start, plan, onRound: showProgress };
  const samples = [
    ...(await runWarmRounds(work)),
    ...(await runColdRounds(work)),
    ...(await runCrowdRounds(work)),
  ];
  const heaps = {
    ours: await measureHeap({ start, name: "ours" }),
    official: await measureHeap({ start, name: "official" }),
  };
  const after = readMachineTime();
  const { user, system } = process.cpuUsage();
  const own = pages.usedCpu() + (user + system) / 1_000;
  const otherLoad = Math.max(0, after.busy - before.busy - own) / (after.total - before.total);
  return { samples, heaps, otherLoad, plan };
}

function showProgress(kind, round) {
  if (process.stderr.isTTY) process.stderr.write(`\r${kind} ${round}   `);
}

async function run(plan) {
  const cleanUp = createCleanUp();
  try {
    const stopped = untilStopped(plan.limit, cleanUp);
    const outcome = await Promise.race([measure(plan, cleanUp), stopped]);
    const verdicts = judge(outcome.samples, outcome.heaps);
    console.log(`${toTables(outcome.samples)}\n\n${toNotes(outcome)}\n`);
    for (const { line } of verdicts) console.log(line);
    return verdicts.every(({ ok }) => ok);
  } finally {
    await cleanUp.run();
  }
}

try {
  process.exitCode = (await run(process.argv.includes("--quick") ? QUICK : FULL)) ? 0 : 1;
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
}
