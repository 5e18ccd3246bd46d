import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type {} from "./pages/headless.ts";
import { viewFrame, viewOf } from "./scene.ts";
import { namesOf } from "./surface-scene.ts";

vi.setConfig({ hookTimeout: 60_000 });

const HTML = viewOf(
  `greet(); send({ method: "ui/notifications/size-changed", params: { height: 120 } });`,
  "<p>Sun</p>",
);

let stage: HostStage;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage.close());

test("without decorations the host draws only the view, and useView has its state", async () => {
  const program = new URL("./pages/headless.ts", import.meta.url);
  const page = await openHostPage(stage, { program });
  await page.waitForFunction(() => "openProduct" in window);
  await page.evaluate(({ entrance, html }) => window.openProduct(entrance, html), {
    entrance: stage.entrance,
    html: HTML,
  });
  const state = () => page.textContent("output");

  await expect.poll(state).toBe("resource inline resource-failed");
  // Neither the card nor its button.
  expect(await namesOf(page, "button")).toEqual(["Large", "Again"]);

  await page.evaluate(() => {
    window.isRepaired = true;
  });
  await page.click("#again");
  await expect.poll(state, { timeout: 10_000 }).toBe("shown inline ok");
  expect(await (await viewFrame(page)).textContent("p")).toBe("Sun");
  expect(await namesOf(page, "button")).toEqual(["Large", "Again"]);

  await page.click("#large");
  await expect.poll(state).toBe("shown fullscreen ok");
  await page.keyboard.press("Escape");
  await expect.poll(state).toBe("shown inline ok");
  await page.close();
});
