import type { GatewayStage } from "./stage/stage.ts";

/** One attack on a gateway that runs as a process, with real servers behind it. */
export interface GatewayAttack {
  readonly id: string;
  /** Numbers in `attacks.json`. */
  readonly entries: readonly number[];
  /** The review's number of the weakness it reproduces. */
  readonly finding: string;
  /** The requirement, as a sentence. */
  readonly title: string;
  /** Left out of `--quick`: it takes more than a few seconds. */
  readonly slow?: true;
  /** The complaints; none when the gateway holds. */
  run(stage: GatewayStage): Promise<readonly string[]>;
}

/** The prefix of a complaint that isn't about the gateway: the attack couldn't run. */
export const INCONCLUSIVE = "inconclusive: ";

/** The complaint, unless the condition holds. */
export function unless(holds: unknown, complaint: string): string[] {
  return holds ? [] : [complaint];
}

/** The complaint that an attack proves nothing, unless the condition holds. */
export function unlessTried(holds: unknown, complaint: string): string[] {
  return unless(holds, INCONCLUSIVE + complaint);
}

/** What a text holds, cut to a length that fits a report. */
export function excerpt(text: string, length = 160): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
