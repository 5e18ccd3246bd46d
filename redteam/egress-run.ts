import type { Channel } from "./channels/channel.ts";
import { type Attempt, attempt, batches } from "./egress.ts";
import type { Laboratory } from "./lab/laboratory.ts";
import type { Stage } from "./stage/deployment.ts";

const PAGES_AT_ONCE = 3;

/** Attempts every channel on every stage; views that did not start get a second, quiet chance. */
export async function runEgress(
  laboratory: Laboratory,
  stages: readonly Stage[],
  channels: readonly Channel[],
): Promise<Attempt[]> {
  const jobs = stages.flatMap((stage) =>
    batches(channels).map((group) => () => attempt(laboratory, stage, group)),
  );
  const attempts = await inParallel(jobs);
  const late = attempts.filter((one) => !one.started && !hasEvidence(laboratory, one));
  const again = await inParallel(
    late.map(({ stage: name, channel }) => async () => {
      const stage = stages.find((candidate) => candidate.name === name);
      return stage ? attempt(laboratory, stage, [channel]) : [];
    }),
  );
  return [...attempts.filter((one) => !late.includes(one)), ...again];
}

function hasEvidence({ evidence }: Laboratory, { cell }: Attempt): boolean {
  return evidence.of(cell).length > 0;
}

async function inParallel(jobs: (() => Promise<Attempt[]>)[]): Promise<Attempt[]> {
  const waiting = [...jobs];
  const results: Attempt[] = [];
  const worker = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) results.push(...(await job()));
  };
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, worker));
  return results;
}
