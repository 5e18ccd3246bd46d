import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { DIFFERENCES, PROBES } from "./held-documents.ts";
import { openScene } from "./scene.ts";
import { openStage, type Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 40_000, hookTimeout: 30_000 });

let stage: Stage;
beforeAll(async () => {
  // In the place of Playwright's own list, which switches off that frames have a storage.
  stage = await openStage("--disable-features=HttpsUpgrades,Translate");
});
afterAll(() => stage.close());

/** What a View tells of itself, held or not. */
async function show(html: string, hold: boolean): Promise<unknown> {
  const scene = await openScene(stage, { mode: "port", html, resource: { hold } });
  if (hold) {
    await scene.page.waitForFunction(() =>
      window.host.received.some(({ data }) => "held" in Object(data)),
    );
    await scene.tell({ mount: true });
  }
  const text = JSON.stringify(await scene.outcome());
  // Each View has another address.
  return JSON.parse(text.replaceAll(/\/v\/[a-z2-7]{32}/g, "/v/<id>"));
}

test.each(PROBES)("a View that was held is like one that was not: $what", async (probe) => {
  const plain = await show(probe.html, false);
  expect(plain).toMatchObject(probe.shows);
  expect(await show(probe.html, true)).toEqual(plain);
});

test.each(DIFFERENCES)("a View that was held differs in $what", async ({ html, held, plain }) => {
  expect(await show(html, false)).toEqual(plain);
  expect(await show(html, true)).toEqual(held);
});
