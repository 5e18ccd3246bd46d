// Entry of `npm run redteam:consent`: how many calls were allowed that the user didn't see.

import { parseArgs } from "node:util";
import { Scene } from "../checks/check.ts";
import { openLaboratory } from "../lab/laboratory.ts";
import { findDefences } from "../mutation-run.ts";
import type { SandboxStage } from "../stage/sandbox-stage.ts";
import { openTheatre, stageOf } from "../stage/theatre.ts";
import { EVERY_QUESTION, runInterleavings, type Totals } from "./interleavings.ts";

const USAGE = `npm run redteam:consent [-- options]
  --count <number>     sequences; 1000
  --pages <number>     pages side by side; 12
  --seed <number>      where random numbers start; the time of day
  --without <defence>  build the host without a defence, to see that it is missed`;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "1000" },
      pages: { type: "string", default: "12" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      without: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    print(USAGE);
    return 0;
  }
  const [count, pages, seed] = [values.count, values.pages, values.seed].map(Number);
  const [defence] = findDefences(values.without === undefined ? [] : [values.without]);
  const laboratory = await openLaboratory();
  const host = [...(defence?.weakening.host ?? []), ...EVERY_QUESTION];
  const theatre = await openTheatre(laboratory.certificate, { ...defence?.weakening, host });
  const scene = new Scene(laboratory, stageOf(theatre, "tier-2") as SandboxStage);
  const begun = performance.now();
  try {
    const totals = await runInterleavings(scene, {
      count: count as number,
      pages: pages as number,
      seed: seed as number,
      onProgress: (done) => done % 100 === 0 && print(`${done} of ${count} interleavings`),
    });
    const seconds = Math.round((performance.now() - begun) / 1000);
    for (const violation of totals.violations) print(`FAILURE ${violation}`);
    print(describe(totals, seed as number, seconds));
    return totals.violations.length === 0 && totals.sequences >= Number(count) ? 0 : 1;
  } finally {
    await scene.close();
    theatre.close();
    await laboratory.close();
  }
}

function describe(totals: Totals, seed: number, seconds: number): string {
  const { sequences, questions, notices, presses, calls, shortest, violations } = totals;
  return [
    `seed ${seed}, ${seconds} s: ${questions} questions, ${notices} withdrawn while shown, ${presses} presses`,
    `${calls} calls allowed, the shortest after ${Math.round(shortest)} ms in sight`,
    `consent: ${sequences} interleavings, ${violations.length} calls allowed that the user didn't see in full for 500 ms`,
  ].join("\n");
}

process.exitCode = await main();
