// Entry of `npm run redteam:stdio`: hostile stdio servers against a real gateway, with and without isolation.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { STDIO_ATTACKS, type StdioAttack } from "./attacks.ts";
import { processes } from "./processes.ts";
import { openStage, type Stage } from "./stage.ts";
import { printStartCost } from "./start-cost.ts";

/** So many succeed without isolation, or the attacks prove too little. */
const LEAST = 12;

const USAGE = `npm run redteam:stdio [-- options]
  (no option)       every hostile server in isolation; none may succeed
  --without         the same servers without isolation; at least ${LEAST} must succeed
  --both            one after the other
  --only <names>    some attacks, separated by commas
  --quick           without the cost of a start`;

const { values } = parseArgs({
  options: {
    without: { type: "boolean", default: false },
    both: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    quick: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

async function main(): Promise<number> {
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const only = values.only.split(",").filter((name) => name !== "");
  const attacks = STDIO_ATTACKS.filter(({ name }) => only.length === 0 || only.includes(name));
  if (attacks.length === 0) {
    console.error(`There is no such attack.\n\n${USAGE}`);
    return 2;
  }
  if (!values.quick) await printStartCost();
  const forms = values.both ? [false, true] : [!values.without];
  let isGood = true;
  for (const isIsolated of forms) {
    const count = await run(attacks, isIsolated);
    const least = Math.min(LEAST, attacks.length);
    isGood &&= isIsolated ? count === 0 : only.length > 0 || count >= least;
    console.log(
      `${isIsolated ? "in isolation" : "without isolation"}: ${count} of ${attacks.length} hostile servers succeeded (${isIsolated ? "0 allowed" : `at least ${least} expected`})`,
    );
  }
  return isGood ? 0 : 1;
}

/** Returns how many attacks succeeded. */
async function run(attacks: readonly StdioAttack[], isIsolated: boolean): Promise<number> {
  const stage = await openStage(
    attacks.map(({ name }) => name),
    { isIsolated },
  );
  let count = 0;
  try {
    for (const attack of attacks) {
      const hasSucceeded = await attempt(attack, stage);
      if (hasSucceeded) count += 1;
      const sign = hasSucceeded === isIsolated ? "!" : " ";
      const result = hasSucceeded ? "succeeds" : "fails";
      console.log(`${sign} ${attack.name.padEnd(14)} ${result.padEnd(9)} ${attack.title}`);
    }
  } finally {
    await cleanUp(stage, attacks);
  }
  return count;
}

async function attempt(attack: StdioAttack, stage: Stage): Promise<boolean> {
  Object.assign(stage.seen, { connections: 0, queries: 0 });
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, attack.measure?.(stage) ?? 0);
  }, 50);
  const loot = await stage.attack(attack.name);
  most = Math.max(most, attack.measure?.(stage) ?? 0);
  clearInterval(watch);
  const left = attack.isEnded ? await stage.endServers() : 0;
  await sleep(100);
  // An attack that never ran proves nothing.
  const hasAnswered = attack.mayEnd || /"result"/.test(loot);
  const hasSucceeded = attack.hasSucceeded(stage, { loot, most, left });
  if (!hasAnswered && !hasSucceeded) {
    throw new Error(`The server of ${attack.name} didn't run: ${loot || stage.seen.output()}`);
  }
  return hasSucceeded;
}

async function cleanUp(stage: Stage, attacks: readonly StdioAttack[]): Promise<void> {
  await stage.close();
  for (const { name } of attacks) {
    const mark = stage.mark(name);
    for (const id of processes(mark)) process.kill(id, "SIGKILL");
    for (const folder of ["/tmp", "/var/tmp", "/dev/shm", "/"]) {
      for (const file of readdirSync(folder)) {
        if (file.includes(`fill-${mark}`)) rmSync(join(folder, file), { force: true });
      }
    }
  }
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.stack ?? error.message);
    process.exit(1);
  },
);
