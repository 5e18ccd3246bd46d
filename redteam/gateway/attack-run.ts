import { type GatewayAttack, INCONCLUSIVE } from "./attack.ts";
import { GATEWAY_ATTACKS } from "./attacks/index.ts";
import type { GatewayRunOptions } from "./options.ts";
import { GatewayStage } from "./stage/stage.ts";

/** How an attack went. */
export interface AttackResult {
  readonly attack: GatewayAttack;
  /** Why it doesn't hold, or why the attack proves nothing. */
  readonly complaints: readonly string[];
  readonly milliseconds: number;
}

/** Runs the attacks that were asked for and prints each; true if the gateway holds against all. */
export async function runAttacks(
  options: Pick<GatewayRunOptions, "quick" | "only">,
): Promise<boolean> {
  const before = performance.now();
  const attacks = choose(options);
  const stage = await GatewayStage.open();
  const results: AttackResult[] = [];
  try {
    for (const attack of attacks) {
      const result = await runAttack(attack, stage);
      results.push(result);
      console.log(attackLine(result));
    }
  } finally {
    await stage.close();
  }
  const held = results.filter(({ complaints }) => complaints.length === 0).length;
  const seconds = ((performance.now() - before) / 1000).toFixed(0);
  console.log(`redteam:gateway: ${held} of ${results.length} attacks held in ${seconds} s`);
  return held === results.length;
}

/** Runs one attack; an error in it is a complaint. */
export async function runAttack(attack: GatewayAttack, stage: GatewayStage): Promise<AttackResult> {
  const before = performance.now();
  const complaints = await attack
    .run(stage)
    .catch((error: Error) => [`${INCONCLUSIVE}${error.stack ?? error.message}`]);
  return { attack, complaints, milliseconds: performance.now() - before };
}

/** The attacks of these ids; throws where there is none of that name. */
export function findAttacks(ids: readonly string[]): GatewayAttack[] {
  return ids.map((id) => {
    const found = GATEWAY_ATTACKS.find((attack) => attack.id === id);
    if (found) return found;
    throw new Error(`There is no attack "${id}". Known: ${GATEWAY_ATTACKS.map((a) => a.id)}.`);
  });
}

function choose({ quick, only }: Pick<GatewayRunOptions, "quick" | "only">): GatewayAttack[] {
  if (only.length > 0) return findAttacks(only);
  return GATEWAY_ATTACKS.filter(({ slow }) => !(quick && slow));
}

function attackLine({ attack, complaints, milliseconds }: AttackResult): string {
  const verdict = complaints.length === 0 ? "ok  " : "FAIL";
  const seconds = `${(milliseconds / 1000).toFixed(1)} s`;
  const why = complaints.map((complaint) => `\n       ${complaint}`).join("");
  return `${verdict} ${attack.finding.padEnd(4)} ${attack.id.padEnd(28)} ${seconds}  ${attack.title}${why}`;
}
