// The view comes first: panes around it can be resized and hidden, and it has its device's real width.

import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  closePages,
  type DevProject,
  type DevStage,
  makeProject,
  openDevStage,
} from "./dev-project.ts";

vi.setConfig({ hookTimeout: 90_000, testTimeout: 60_000 });
// A busy machine takes longer.
const SLOW = { timeout: 20_000 };

let project: DevProject;
let stage: DevStage;
beforeAll(async () => {
  project = await makeProject();
  stage = await openDevStage(["node", `${project.folder}/server.mjs`]);
  await stage.page.locator(".tools li button", { hasText: "board" }).click();
  await stage.page.locator("button.run").click();
  await (await stage.view()).getByText("Hello, Plan").waitFor();
});
afterAll(async () => {
  await stage?.close();
  await closePages();
  await project?.remove();
});

const boxOf = async (locator: Locator) => {
  const box = await locator.boundingBox();
  if (!box) throw new Error(`${locator} isn't visible.`);
  return box;
};
const choose = (name: string, value: string) =>
  stage.page.getByRole("combobox", { name, exact: true }).selectOption(value);
const innerWidth = async (): Promise<number> =>
  (await stage.view()).evaluate(() => globalThis.innerWidth);

test("panes are resized by mouse and keyboard, and hidden, also after a reload", async () => {
  const { page } = stage;
  const tools = page.locator(".tools");
  const divider = page.getByRole("separator", { name: "Resize tools" });
  const before = await boxOf(tools);
  const { x, y, height } = await boxOf(divider);
  await page.mouse.move(x, y + height / 2);
  await page.mouse.down();
  // Over the view, whose frame doesn't take the pointer away.
  await page.mouse.move(x + 100, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await page.mouse.move(x + 300, y + height / 2);
  expect((await boxOf(tools)).width).toBe(before.width + 100);
  await divider.press("ArrowLeft");
  await divider.press("ArrowLeft");
  expect(await divider.getAttribute("aria-valuenow")).toBe(String(before.width + 68));
  await page.getByRole("button", { name: "Hide inspector" }).click();
  await page.reload();
  await page.getByRole("button", { name: "Show inspector" }).waitFor();
  expect((await boxOf(tools)).width).toBe(before.width + 68);
  expect(await page.locator(".inspector").isVisible()).toBe(false);
  await page.getByRole("button", { name: "Show inspector" }).click();
  await divider.dblclick();
  expect((await boxOf(tools)).width).toBe(before.width);
  await page.locator("button.run").click();
  await (await stage.view()).getByText("Hello, Plan").waitFor();
});

test("a desktop is 1200 px wide for the view, drawn as large as the page allows and never cut", async () => {
  const { page } = stage;
  await choose("Size", "desktop");
  await expect.poll(innerWidth, SLOW).toBeGreaterThan(1190);
  const picture = await boxOf(page.locator(".picture"));
  const floor = await boxOf(page.locator(".floor"));
  expect(picture.x).toBeGreaterThanOrEqual(floor.x);
  expect(picture.x + picture.width).toBeLessThanOrEqual(floor.x + floor.width);
  await page.getByText(/^1200 px at \d\d %$/).waitFor();
  // The picture takes clicks where it is drawn. Playwright doesn't know about the scale.
  const view = await stage.view();
  const count = Number(await view.locator("#count").textContent());
  const press = async (): Promise<string> => {
    // A low window shows only the upper part of it.
    await page.locator(".picture").evaluate((element) => element.scrollIntoView({ block: "end" }));
    const more = await view.locator("#more").evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2, whole: globalThis.innerHeight };
    });
    const { x, y, width, height } = await boxOf(page.locator(".picture"));
    const scale = width / 1200;
    // The view's frame is the last part of the picture, inside a line of 1 px.
    const top = y + height - (more.whole + 1) * scale;
    const at = { x: x + (more.x + 1) * scale, y: top + more.y * scale };
    await page.mouse.move(at.x, at.y, { steps: 8 });
    await page.mouse.down();
    await page.mouse.up();
    const after = Number(await view.locator("#count").textContent());
    const under = await page.evaluate(({ x, y }) => {
      const element = document.elementFromPoint(x, y);
      return `${element?.tagName}.${element?.className}`;
    }, at);
    return after > count ? "counted" : `${after} after a click on ${under} at ${at.x}, ${at.y}`;
  };
  // Again while the view's height is still about to change. A pause between two clicks, because a view that
  // has just moved ignores them.
  await expect.poll(press, { ...SLOW, interval: 700 }).toBe("counted");
  await choose("Zoom", "0.5");
  await page.getByText("1200 px at 50 %").waitFor();
  await choose("Zoom", "fit");
  await choose("Size", "fit");
});

test("at 1100 × 700 the view has most of the window, and its tools stay in one row", async () => {
  const { page } = stage;
  await page.setViewportSize({ width: 1100, height: 700 });
  const floor = await boxOf(page.locator(".floor"));
  expect(floor.width).toBeGreaterThan(800);
  expect(floor.height).toBeGreaterThan(400);
  expect((await boxOf(page.locator(".toolbar"))).height).toBeLessThan(48);
  // The inspector opens below, where its tabs are.
  await page.getByRole("tab", { name: "Traffic" }).click();
  await page.getByLabel("Search messages").waitFor();
  await page.getByRole("button", { name: "Hide inspector" }).click();
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("the page and the view have separate themes", async () => {
  const { page } = stage;
  const background = (selector: string): Promise<string> =>
    page.locator(selector).evaluate((element) => getComputedStyle(element).backgroundColor);
  const [floor, body] = [await background(".floor"), await background("body")];
  await page.getByRole("button", { name: "Dark view theme" }).click();
  await (await stage.view()).getByText(/^dark /).waitFor();
  expect(await background("body")).toBe(body);
  expect(await background(".floor")).not.toBe(floor);
  await page.getByRole("button", { name: "Light view theme" }).click();
  await (await stage.view()).getByText(/^light /).waitFor();
  await page.getByRole("button", { name: "Dark page theme" }).click();
  expect(await background("body")).not.toBe(body);
  expect(await background(".floor")).toBe(floor);
  await page.getByRole("button", { name: "Light page theme" }).click();
});
