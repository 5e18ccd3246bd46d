import { setTimeout as sleep } from "node:timers/promises";

const SAMPLE = 150;
const LARGEST = 4;
const CALM = 1.5;

/**
 * How many times longer than on an idle machine work takes right now, by the share of a processor
 * that this process gets. It holds up whatever this process serves, so nothing may be under way.
 */
export function measureSlowness(): number {
  const begun = performance.now();
  const before = process.cpuUsage();
  while (performance.now() - begun < SAMPLE);
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1000 / (performance.now() - begun);
  return Math.min(Math.max(1, 1 / share), LARGEST);
}

/** Waits for other work on the machine to be over, if it is soon. */
export async function calm(patience: number): Promise<void> {
  const end = performance.now() + patience;
  while (measureSlowness() > CALM && performance.now() < end) await sleep(SAMPLE);
}
