// The View bench: hand-written, ours and official, interleaved in one browser. See ../README.md.

import { startBrowser } from "./browser.mjs";
import { createCleanUp } from "./clean-up.mjs";
import { readGroupTime, readMachineTime } from "./processor-time.mjs";
import { judge, toNotes, toVariantTable } from "./report.mjs";
import { runRounds, VARIANTS } from "./rounds.mjs";
import { startServers } from "./servers.mjs";
import { untilStopped } from "./stop.mjs";
import { createTurns } from "./turns.mjs";
import { buildViewPage } from "./view-page.mjs";

// Rounds wanted; at least so many, whatever the machine does; then for so long; calls in a pass.
const FULL = { rounds: 50, atLeast: 10, seconds: 200, calls: 300, limit: 480 };
const QUICK = { rounds: 8, atLeast: 4, seconds: 32, calls: 200, limit: 240 };

async function buildViewPages() {
  const names = new Set(Object.values(VARIANTS).map(({ view }) => view));
  const pages = [...names].map(async (name) => [`/views/${name}`, await buildViewPage(name)]);
  return new Map(await Promise.all(pages));
}

async function measure(plan, cleanUp) {
  const turns = createTurns();
  let browser;
  const servers = await startServers({
    viewPages: await buildViewPages(),
    exchange: turns.exchange,
    readCpu: () => readGroupTime(browser?.group),
  });
  await cleanUp.add(servers.close);
  browser = await startBrowser(servers.hostUrl);
  await cleanUp.add(browser.close);

  const before = readMachineTime();
  const samples = await Promise.race([
    runRounds({ take: turns.take, relayUrl: servers.relayUrl, plan, onRound: showProgress }),
    browser.exited,
  ]);
  const after = readMachineTime();
  const { user, system } = process.cpuUsage();
  const own = readGroupTime(browser.group) + (user + system) / 1_000;
  const otherLoad = Math.max(0, after.busy - before.busy - own) / (after.total - before.total);
  return { samples, otherLoad, calls: plan.calls };
}

function showProgress(round) {
  if (process.stderr.isTTY) process.stderr.write(`\rround ${round} `);
}

async function run(plan) {
  const cleanUp = createCleanUp();
  try {
    const stopped = untilStopped(plan.limit, cleanUp);
    const outcome = await Promise.race([measure(plan, cleanUp), stopped]);
    const verdicts = judge(outcome.samples);
    console.log(`${toVariantTable(outcome.samples)}\n\n${toNotes(outcome)}\n`);
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
