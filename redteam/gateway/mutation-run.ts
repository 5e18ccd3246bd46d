import { INCONCLUSIVE } from "./attack.ts";
import { findAttacks, runAttack } from "./attack-run.ts";
import type { GatewayDefence } from "./defence.ts";
import { GATEWAY_DEFENCES } from "./defences/index.ts";
import type { GatewayRunOptions } from "./options.ts";
import { GatewayStage } from "./stage/stage.ts";
import { findGatewayDefence } from "./without/edited-source.ts";
import { passingWithout } from "./without/vitest-run.ts";

/** Removes defences one at a time; true if every test and attack that should notice does. */
export async function runGatewayMutations({
  without,
  only,
}: Pick<GatewayRunOptions, "without" | "only">): Promise<boolean> {
  const defences = without.includes("all") ? GATEWAY_DEFENCES : without.map(findGatewayDefence);
  let noticed = 0;
  for (const defence of defences) {
    const before = performance.now();
    const missed = await missedBy(defence, only);
    const seconds = `${((performance.now() - before) / 1000).toFixed(1)} s`;
    if (missed.length === 0) noticed += 1;
    const verdict = missed.length === 0 ? "noticed  " : "UNNOTICED";
    console.log(`${verdict} ${defence.name.padEnd(40)} ${seconds}`);
    for (const one of missed) console.log(`          passes without it: ${one}`);
  }
  console.log(
    `redteam:gateway --without: ${noticed} of ${defences.length} removed defences noticed`,
  );
  return noticed === defences.length;
}

/** The tests and attacks that should notice the loss of a defence and don't. */
async function missedBy(defence: GatewayDefence, only: readonly string[]): Promise<string[]> {
  const asked = defence.noticedBy.filter((one) => only.length === 0 || only.includes(one));
  const byPath = Map.groupBy(asked, (one) => one.split("#")[0] ?? "");
  const missed: string[] = [];
  for (const [path, named] of byPath) {
    const titles = named.flatMap((one) => one.split("#").slice(1));
    if (titles.length === 0) {
      if (!(await attackNotices(path, defence))) missed.push(path);
      continue;
    }
    const passing = await passingWithout(defence, path, titles);
    missed.push(...passing.map((title) => `${path}#${title}`));
  }
  return missed;
}

async function attackNotices(id: string, { name }: GatewayDefence): Promise<boolean> {
  const [attack] = findAttacks([id]);
  if (!attack) return false;
  const stage = await GatewayStage.open(name);
  try {
    const { complaints } = await runAttack(attack, stage);
    return complaints.some((complaint) => !complaint.startsWith(INCONCLUSIVE));
  } finally {
    await stage.close();
  }
}
