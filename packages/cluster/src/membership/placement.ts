import { createHash } from "node:crypto";
import type { Member } from "./membership.ts";

/**
 * The process that is to own something when nobody does: the same for all who ask, and for most keys the
 * same as before when one process comes or goes.
 */
export function runnerFor(key: string, runners: readonly Member[]): Member | undefined {
  let best: { weight: number; runner: Member } | undefined;
  for (const runner of runners) {
    const digest = createHash("sha256").update(`${key} ${runner.node}`).digest();
    const weight = digest.readUInt32BE(0);
    if (!best || weight > best.weight) best = { weight, runner };
  }
  return best?.runner;
}
