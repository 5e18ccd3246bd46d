// Random sequences of what a hostile view and a hurried user can do, in pages of the real host.

import { setTimeout as sleep } from "node:timers/promises";
import type { Scene } from "../checks/check.ts";
import { type Box, type HostScene, openHost } from "../stage/host-scene.ts";
import { within } from "../stage/page-steps.ts";
import type { SourceEdit } from "../stage/source-edits.ts";
import { hostileView } from "./hostile-view.ts";
import { judge } from "./oracle.ts";
import { createRandom, type Random } from "./random.ts";
import { recordScreen } from "./recorder.ts";

export interface InterleavingOptions {
  readonly count: number;
  /** Pages side by side. */
  readonly pages: number;
  readonly seed: number;
  onProgress?(done: number): void;
}

/** What happened in all sequences together. */
export interface Totals {
  sequences: number;
  questions: number;
  notices: number;
  presses: number;
  calls: number;
  shortest: number;
  readonly violations: string[];
}

/**
 * The limit on questions would end most sequences after their second refusal, and an answer that is
 * remembered would end all questions of a page. Both have checks of their own (S41, S16), so the host
 * is built without them here. Whether "Always allow" may be picked is still judged.
 */
export const EVERY_QUESTION: readonly SourceEdit[] = [
  {
    file: "host/src/consent/consent-memory.ts",
    from: "const reason = limit.refuse(request);",
    to: "const reason = undefined as string | undefined;",
  },
  {
    file: "host/src/consent/consent-memory.ts",
    from: "if (remember) await answers.retain(",
    to: "if (remember === null) await answers.retain(",
  },
];

const PATIENCE = 4000;
const SIZES = [
  { width: 1100, height: 800 },
  { width: 420, height: 720 },
  { width: 800, height: 520 },
];

/** Runs sequences and judges every call that was allowed in them. */
export async function runInterleavings(
  scene: Scene,
  { count, pages, seed, onProgress }: InterleavingOptions,
): Promise<Totals> {
  const totals: Totals = {
    sequences: 0,
    questions: 0,
    notices: 0,
    presses: 0,
    calls: 0,
    shortest: Number.POSITIVE_INFINITY,
    violations: [],
  };
  let begun = 0;
  let failed = 0;
  // A sequence whose page hangs is replaced by another, up to a limit.
  const isOver = (): boolean => begun - failed >= count || failed > 10 + count / 10;
  const worker = async (): Promise<void> => {
    while (!isOver()) {
      const host = await openPage(scene).catch(() => undefined);
      if (!host) {
        failed += 1;
        begun += 1;
        continue;
      }
      for (let round = 0; round < ROUNDS && !isOver(); round += 1) {
        begun += 1;
        try {
          await runSequence(host, begun, createRandom(seed + begun));
          totals.sequences += 1;
        } catch {
          failed += 1;
          break;
        }
        onProgress?.(totals.sequences);
      }
      await collect(host, totals);
      await within(host.page.close(), PATIENCE);
    }
  };
  await Promise.all(Array.from({ length: pages }, worker));
  return totals;
}

// Sequences in one page.
const ROUNDS = 25;

async function openPage(scene: Scene): Promise<HostScene> {
  const tools = [{ name: "show", html: hostileView() }, { name: "pay" }];
  const options = { consent: "dialog", width: 480, callsPerMinute: 1000 } as const;
  const host = await openHost(scene, [{ name: "hostile", tools }], options);
  await host.page.evaluate(recordScreen);
  return host;
}

async function collect(host: HostScene, totals: Totals): Promise<void> {
  const found = await within(
    host.page.evaluate(() => ({ site: window.site.record, screen: window.screenRecord })),
    PATIENCE,
  );
  if (!found) return;
  const { calls, violations, shortest } = judge(found.site, found.screen);
  const questions = found.screen.dialogs.filter(({ isQuestion }) => isQuestion).length;
  totals.questions += questions;
  totals.notices += found.screen.dialogs.length - questions;
  totals.presses += found.screen.presses.length;
  totals.calls += calls;
  totals.shortest = Math.min(totals.shortest, shortest);
  totals.violations.push(...violations);
}

async function runSequence(host: HostScene, number: number, random: Random): Promise<void> {
  const { page } = host;
  await mountView(host);
  const params = { seed: random.below(2 ** 31), name: `request-${number}` };
  await page.evaluate(
    (params) => window.site.host.views.get("view")?.bridge?.peer.notify("redteam/now", params),
    params,
  );
  const user = createUser(host, random);
  const end = performance.now() + 1000 + random.below(1500);
  while (performance.now() < end) await within(user.act(), PATIENCE);
  // A question that is left is withdrawn by the next sequence.
  await within(page.keyboard.press("Escape"), PATIENCE);
}

/** Mounts the view, or mounts it again after the host has stopped it. */
async function mountView(host: HostScene): Promise<void> {
  const isThere = await host.page.evaluate(async () => {
    if (window.site.host.views.get("view")?.bridge?.initialized) return true;
    await window.site.host.forget("view");
    window.site.mount("view", "hostile", "show");
    return false;
  });
  if (!isThere) await host.reach("view", 20_000);
}

/** Hands that are in a hurry: most of what they do is meant for something else. */
function createUser(host: HostScene, random: Random): { act(): Promise<void> } {
  const { page } = host;
  const { mouse, keyboard } = page;
  let spot = { x: 700, y: 560 };
  const find = async (selector: string, place: string): Promise<Box | undefined> =>
    host.box(selector, place).catch(() => undefined);
  const press = async (box: Box | undefined): Promise<void> => {
    if (box) spot = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await mouse.click(spot.x, spot.y);
  };
  const acts: (() => Promise<unknown>)[] = [
    // Where the button was, or will be.
    () => press(undefined),
    () => press(undefined),
    async () => press(await find(".allow", "dialog")),
    async () => press(await find(".allow", "dialog")),
    async () => press(await find(".deny", "dialog")),
    async () => press(await find("input[value=always]", "dialog")),
    async () => {
      for (let click = 0; click < 4; click += 1) await press(undefined);
    },
    async () => press(await find("iframe", "view")),
    () => keyboard.press(random.pick(["Enter", " ", "Tab", "Enter"])),
    async () => {
      await keyboard.press("Tab");
      await keyboard.press("Enter");
    },
    () => keyboard.press("Escape"),
    () => page.setViewportSize(random.pick(SIZES)),
    () => mouse.wheel(0, 150 + random.below(600)),
    // Somebody who waits for the button, reads on where that is needed, and presses it.
    ...Array.from({ length: 4 }, () => () => readAndAllow(host, press)),
  ];
  return {
    act: async () => {
      await random.pick(acts)();
      await sleep(random.below(250));
    },
  };
}

async function readAndAllow(
  host: HostScene,
  press: (box: Box | undefined) => Promise<void>,
): Promise<void> {
  for (let look = 0; look < 16; look += 1) {
    const state = await host.page.evaluate(() => {
      const root = window.site.root("dialog");
      const allow = root?.querySelector(".allow");
      if (!allow) return undefined;
      const more = root?.querySelector<HTMLElement>(".more");
      if (more?.checkVisibility()) more.click();
      const { x, y, width, height } = allow.getBoundingClientRect();
      return { isOpen: allow.ariaDisabled === "false", box: { x, y, width, height } };
    });
    if (!state) return;
    if (state.isOpen) return press(state.box);
    await sleep(100);
  }
}
