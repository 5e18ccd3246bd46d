// The measurements: which variants, in which order, in which browser.

import { untilQuiet } from "./pages.mjs";
import { inTurn, toVariant, VARIANTS } from "./variants.mjs";

const ALL = Object.keys(VARIANTS);
const TRAFFIC = {
  slices: 4,
  warmUp: 50,
  partials: { count: 1_000, length: 50_000 },
  result: 1_000_000,
};
const CROWD = 50;

function namesFor(part) {
  return ALL.filter((name) => VARIANTS[name].parts.includes(part));
}

/**
 * First results in browsers that were just started, one browser each: no process of any sandbox runs,
 * and no variant finds what another has warmed.
 */
export async function runColdRounds({ start, plan, onRound }) {
  const samples = [];
  for (let round = 0; round < plan.cold; round++) {
    const sample = {};
    for (const name of inTurn(namesFor("cold"), round)) {
      const { show, cpuShow } = await showAlone(start, name, { count: 1, stamp: String(round) });
      sample[name] = { cold: show, cpuCold: cpuShow };
    }
    samples.push(sample);
    onRound("cold", round);
  }
  return samples;
}

/** Fifty Views at once, and a round trip of one among them; again a browser each. */
export async function runCrowdRounds({ start, plan, onRound }) {
  const samples = [];
  for (let round = 0; round < plan.crowd; round++) {
    const sample = {};
    for (const name of inTurn(namesFor("crowd"), round)) {
      const task = { count: CROWD, stamp: String(round), calls: plan.calls };
      const { show, cpuShow, call, cpuCall } = await showAlone(start, name, task);
      const times = { crowd: show, cpuCrowd: cpuShow, crowdCall: call, cpuCrowdCall: cpuCall };
      sample[name] = times;
    }
    samples.push(sample);
    onRound("crowd", round);
  }
  return samples;
}

async function showAlone(start, name, task) {
  const page = await start();
  try {
    await untilQuiet(page.browser);
    const [sample] = await page.take({ kind: "show", variants: [toVariant(name)], ...task });
    return sample[name];
  } finally {
    await page.close();
  }
}

/** First results and messages in one browser where every sandbox has its processes already. */
export async function runWarmRounds({ start, plan, onRound }) {
  const page = await start();
  const samples = [];
  try {
    const kept = namesFor("warm").map(toVariant);
    await page.take({ kind: "show", variants: kept, count: 1, stamp: "kept", keep: true });
    for (let round = 0; round <= plan.warm; round++) {
      const stamp = String(round);
      const variants = inTurn(namesFor("warm"), round).map(toVariant);
      const shown = await page.take({ kind: "show", variants, count: 1, stamp });
      const traffic = { ...TRAFFIC, calls: plan.calls, stamp };
      const pairs = inTurn(namesFor("traffic"), round).map(toVariant);
      const sent = await page.take({ kind: "traffic", variants: pairs, ...traffic });
      // The first round compiles and fills caches.
      if (round) samples.push(...shown.map(toWarm), ...sent);
      onRound("warm", round);
    }
  } finally {
    await page.close();
  }
  return samples;
}

function toWarm(sample) {
  const renamed = Object.entries(sample).map(([name, { show, cpuShow }]) => [
    name,
    { warm: show, cpuWarm: cpuShow },
  ]);
  return Object.fromEntries(renamed);
}
