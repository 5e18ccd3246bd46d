import type { Page } from "playwright";
import { NEVER_FIRED } from "./catalogue.ts";
import type { Channel } from "./channels/channel.ts";
import { LOOK_UPS } from "./channels/channel-table.ts";
import { type Arena, type Attempt, attempt, batches, hasFired, isDue } from "./egress.ts";
import { crashProof } from "./lab/crash-proof-page.ts";
import type { Laboratory } from "./lab/laboratory.ts";
import { addressesOf } from "./lab/target-addresses.ts";
import type { Stage } from "./stage/deployment.ts";
import { within } from "./stage/page-steps.ts";

/** The laboratory's browser as the attempts want it. */
export function arenaOf(laboratory: Laboratory): Arena {
  const { evidence, chromium } = laboratory;
  return {
    evidence,
    silent: laboratory.seesDns ? NEVER_FIRED : [...NEVER_FIRED, ...LOOK_UPS],
    crashes: chromium.crashes,
    openCell: () => laboratory.openCell(),
    targetOf: ({ secure }, cell) => addressesOf(laboratory, secure, cell),
    async open(url) {
      const page = await chromium.context.newPage();
      const popups: (typeof page)[] = [];
      page.on("popup", (popup) => popups.push(popup));
      page.on("dialog", (dialog) => void dialog.dismiss().catch(() => {}));
      const evaluate = await crashProof(page);
      await within(page.goto(url, { waitUntil: "commit" }), 15_000);
      const close = async () => {
        for (const popup of popups) await within(popup.close(), 2000);
        await within(page.close(), 3000);
      };
      return { page: { evaluate, mouse: page.mouse } as unknown as Page, close };
    },
  };
}

/**
 * Attempts every channel on every stage. A view that didn't start, or a control that was silent although
 * it is known to fire, gets two more chances on a page of its own, the last one with nothing else running:
 * it says nothing about a defence, and on a busy machine it is the usual outcome. A leak in any attempt
 * counts.
 */
export async function runEgress(
  arena: Arena,
  stages: readonly Stage[],
  channels: readonly Channel[],
  { pagesAtOnce = 3 }: { pagesAtOnce?: number } = {},
): Promise<Attempt[]> {
  const jobs = stages.flatMap((stage) =>
    batches(channels, stage.name).map((group) => () => attempt(arena, stage, group)),
  );
  const attempts = await inParallel(jobs, pagesAtOnce);
  let latest = attempts;
  for (const atOnce of [pagesAtOnce, 1]) {
    const again = latest
      .filter((one) => saysNothing(arena, one))
      .map(({ stage: name, channel }) => async () => {
        const stage = stages.find((candidate) => candidate.name === name);
        return stage ? attempt(arena, stage, [channel]) : [];
      });
    latest = await inParallel(again, atOnce);
    attempts.push(...latest);
  }
  return attempts;
}

function saysNothing(arena: Arena, { stage, channel, cell, started }: Attempt): boolean {
  return !hasFired(arena, channel, cell) && (!started || isDue(arena, stage, channel));
}

async function inParallel(jobs: (() => Promise<Attempt[]>)[], atOnce: number): Promise<Attempt[]> {
  const waiting = [...jobs];
  const results: Attempt[] = [];
  const worker = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) results.push(...(await job()));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
