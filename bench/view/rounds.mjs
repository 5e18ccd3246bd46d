// Rounds of passes. In a pass every variant is measured once, in another order each time, so that
// neither drift nor what the variant before left behind favours one.

import { median } from "./statistics.mjs";

/** The compared variants: a View on a Host, in the same relay. The last is for information, so it runs less often. */
export const VARIANTS = {
  hand: { view: "hand-written", host: "raw" },
  ours: { view: "vitrine", host: "raw" },
  official: { view: "official", host: "official" },
  "official App, raw host": { view: "official", host: "raw", every: 4 },
};

const TRAFFIC = { warmUp: 50, partials: 1_000, length: 50_000, slices: 8 };
const ALL = Object.keys(VARIANTS);
// The two that lie closest to each other are compared most often.
const CLOSE = ["hand", "ours"];
const PASSES = [
  { names: CLOSE },
  { names: ALL },
  { names: CLOSE },
  { names: CLOSE },
  { names: ALL },
  { names: CLOSE },
  { names: ALL, traffic: TRAFFIC },
];

/**
 * Runs rounds until there are enough or the time is up; returns their samples, each the times
 * of the variants side by side. The first round warms processes and caches and does not count.
 */
export async function runRounds({ take, relayUrl, plan, onRound }) {
  const counted = [];
  const deadline = performance.now() + plan.seconds * 1_000;
  let number = 0;
  for (let round = 0; round <= plan.rounds; round++) {
    if (round > plan.atLeast && performance.now() > deadline) break;
    for (const { names, traffic } of PASSES) {
      const samples = await take({
        relay: relayUrl,
        stamp: String(number),
        variants: toVariants(names, number, round),
        traffic: traffic && { ...traffic, calls: plan.calls },
      });
      if (round) counted.push(...samples);
      number++;
    }
    onRound(round);
  }
  return withoutMarks(counted);
}

/**
 * Subtracts the cost of measuring from every script: the time of an empty one between the same marks. The
 * median of all, because its own disturbances must not make the script after it look fast.
 */
function withoutMarks(samples) {
  const all = samples.flatMap((sample) => Object.values(sample));
  const price = median(all.flatMap(({ empty }) => empty ?? []));
  for (const times of all) if (times.script) times.script -= price;
  return samples;
}

function toVariants(names, number, round) {
  const due = names.filter((name) => round % (VARIANTS[name].every ?? 1) === 0);
  const first = number % due.length;
  const rotated = [...due.slice(first), ...due.slice(0, first)];
  const ordered = Math.floor(number / due.length) % 2 ? rotated.reverse() : rotated;
  return ordered.map((name) => {
    const { view, host } = VARIANTS[name];
    return { name, host, page: `/views/${view}` };
  });
}
