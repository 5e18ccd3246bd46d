import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { ChatState } from "./pages/long-chat.ts";
import { viewOf } from "./scene.ts";

vi.setConfig({ hookTimeout: 60_000 });

const PROGRAM = new URL("./pages/long-chat.ts", import.meta.url);
const CHART = viewOf(
  `greet(); send({ method: "ui/notifications/size-changed", params: { width: 600, height: 320 } });`,
  "<h1>Chart</h1>",
);
const ROUNDS = 9;

let stage: HostStage;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage.close());

/** Shows a chat in a page whose store has the records of an earlier visit. */
async function openChat(page: Page, messages: number, options: object = {}): Promise<void> {
  await page.evaluate(
    ({ messages, html, options }) => {
      Object.assign(window, { chat: window.openChat(messages, html, options as never) });
    },
    { messages, html: CHART, options: { sandbox: stage.entrance, ...options } },
  );
}

const stateOf = (page: Page): Promise<ChatState> =>
  page.evaluate(() => (window as never as { chat: ChatState }).chat);

/** Visits the chat for the first time, so that every view has a record. */
async function record(page: Page, messages: number): Promise<void> {
  const seen = Math.min(messages, 5);
  await openChat(page, seen, { startOffScreen: true });
  await expect.poll(async () => (await stateOf(page)).shown.length).toBe(seen);
  await page.evaluate((messages) => window.recordAll(messages), messages);
}

async function reload(page: Page, messages: number): Promise<number> {
  await page.reload();
  await openChat(page, messages, { warmUp: false });
  await expect.poll(async () => (await stateOf(page)).first, { timeout: 20_000 }).toBeDefined();
  return (await stateOf(page)).first as number;
}

test("a reloaded chat of 40 messages loads only the views on screen", async () => {
  const page = await openHostPage(stage, { program: PROGRAM });
  await record(page, 40);
  await reload(page, 40);
  await page.waitForTimeout(1500);
  const { shown } = await stateOf(page);
  const frames = page.frames().filter((frame) => frame.parentFrame() === page.mainFrame()).length;
  expect(shown).toContain("39");
  expect(shown).not.toContain("10");
  expect(frames).toBeLessThanOrEqual(10);
  console.log(`40 messages: ${frames} frames after a reload`);

  await page.evaluate(() => scrollTo(0, 0));
  await expect.poll(async () => (await stateOf(page)).shown).toContain("0");
  await page.close();
});

test("the first view of a reloaded chat of 40 messages isn't much later than a single view", async () => {
  const page = await openHostPage(stage, { program: PROGRAM });
  await record(page, 40);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [one, many] = [await reload(page, 1), await reload(page, 40)];
    ratios.push(many / one);
  }
  ratios.sort((a, b) => a - b);
  // The lower quartile: other work on the machine slows the two loads of a round differently.
  const quartile = ratios[Math.floor(ROUNDS / 4)] as number;
  console.log(`First view of 40 ÷ of 1: ${ratios.map((ratio) => ratio.toFixed(2)).join(" ")}`);
  expect(quartile).toBeLessThanOrEqual(1.2);
  await page.close();
});
