import { type HostStage, openHostStage } from "@vitrine/internal/host-stage";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openPartsPage } from "./parts-page.ts";
import { openView, untilReceived, viewFrame, viewOf } from "./scene.ts";
import { boxes, isAlive, openMarked, press, readSurface } from "./surface-scene.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: HostStage;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage.close());

test("a View is neither seen nor touched before it is revealed, and yet measures itself", async () => {
  const page = await openPartsPage(stage);
  const html = viewOf(
    `greet(); requestAnimationFrame(() => send({ method: "test/measured" }));
    addEventListener("click", () => send({ method: "test/clicked" }));`,
  );
  await openView(page, stage, { html, hold: true });
  await page.evaluate(() => {
    window.kept.view.surface.conceal();
    window.kept.view.frame.mount();
  });
  await untilReceived(page, "test/measured");
  const { frame } = await boxes(page);
  await page.mouse.click(frame.x + 50, frame.y + 50);
  await expect.poll(async () => (await readSurface(page)).text).toContain("Loading…");
  const [opacity, received] = await page.evaluate(() => [
    getComputedStyle(window.kept.view.surface.body).opacity,
    window.kept.view.received.map(({ method }: { method: string }) => method),
  ]);
  expect(opacity).toBe("0");
  expect(received).not.toContain("test/clicked");
  await page.evaluate(() => window.kept.view.surface.reveal());
  await page.waitForTimeout(300);
  await page.mouse.click(frame.x + 50, frame.y + 50);
  await untilReceived(page, "test/clicked");
});

test("a View goes to full screen, to a corner and back without a reload", async () => {
  const page = await openMarked(stage);
  const before = await boxes(page);
  await press(page, "Full screen");
  const full = await boxes(page);
  expect(full.card).toMatchObject({ x: 0, y: 0, width: 1280, height: 800 });
  expect(full.frame.height).toBeGreaterThan(700);
  await press(page, "Picture in picture");
  const corner = await boxes(page);
  expect(corner.card).toMatchObject({ right: 1280 - 16, bottom: 800 - 16 });
  expect(corner.card.width).toBeLessThan(500);
  // A card with a way back is in its place.
  expect(corner.element.height).toBe(56);
  await press(page, "Back to the page");
  expect(await boxes(page)).toEqual(before);
  expect(await isAlive(page)).toBe(true);
});

test("a View stays below the Host's own controls, which are there in every mode", async () => {
  const page = await openMarked(stage);
  for (const mode of ["fullscreen", "pip"] as const) {
    await page.evaluate((mode) => window.kept.view.surface.setMode(mode), mode);
    await press(page, "Back to the page");
    expect(await page.evaluate(() => window.kept.view.surface.mode)).toBe("inline");
  }
});

test("a View leaves full screen by Escape, and the focus goes back where it was", async () => {
  const page = await openMarked(stage);
  await page.focus("#composer");
  await page.evaluate(() => window.kept.view.surface.setMode("fullscreen"));
  // So that Escape reaches the page and not the View.
  await expect
    .poll(() => page.evaluate(() => document.activeElement === window.kept.view.surface.element))
    .toBe(true);
  await page.keyboard.press("Escape");
  expect(await page.evaluate(() => window.kept.view.surface.mode)).toBe("inline");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("composer");
  expect(await isAlive(page)).toBe(true);
});

test("a View gives the focus back to the button that it was sent away with", async () => {
  const page = await openMarked(stage);
  await page.focus("#composer");
  for (let i = 0; i < 2; i++) await page.keyboard.press("Tab");
  const focused = () =>
    page.evaluate(() => {
      const root = window.kept.view.surface.body.getRootNode();
      return root.activeElement?.ariaLabel;
    });
  expect(await focused()).toBe("Full screen");
  await page.keyboard.press("Enter");
  expect(await focused()).toBe("Back to the page");
  await page.keyboard.press("Enter");
  expect(await focused()).toBe("Full screen");
});

test("a View that goes to a corner does not take the focus from the field where the user types", async () => {
  const page = await openMarked(stage);
  await page.focus("#composer");
  for (const mode of ["pip", "inline"] as const) {
    await page.evaluate((mode) => window.kept.view.surface.setMode(mode), mode);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("composer");
  }
});

test("a View keeps the focus that it has when its mode changes", async () => {
  const page = await openMarked(stage, viewOf("greet();", `<input id="field">`));
  const { frame } = await boxes(page);
  await page.mouse.click(frame.x + 30, frame.y + 20);
  await page.evaluate(() => window.kept.view.surface.setMode("fullscreen"));
  await page.keyboard.type("abc");
  await page.evaluate(() => window.kept.view.surface.setMode("inline"));
  await page.keyboard.type("def");
  const view = await viewFrame(page);
  expect(await view.evaluate("document.querySelector('#field').value")).toBe("abcdef");
});

test("a View has buttons for the modes on offer, and is put into no other", async () => {
  const page = await openMarked(stage);
  await page.evaluate(() => window.kept.view.surface.setModes(["inline", "pip"]));
  expect((await readSurface(page)).buttons).toEqual(["Picture in picture"]);
  const set = await page.evaluate(() => window.kept.view.surface.setMode("fullscreen"));
  expect(set).toBe(false);
  expect(await page.evaluate(() => window.kept.view.surface.mode)).toBe("inline");
});

test("a View lives on when its place in the page changes, is taken away, and is given back", async () => {
  const page = await openMarked(stage);
  const steps = await page.evaluate(() => {
    const { surface } = window.kept.view;
    const place = document.createElement("div");
    document.body.prepend(place);
    const steps = [surface.attach(place), surface.detach()];
    place.remove();
    const other = document.createElement("div");
    document.body.append(other);
    steps.push(surface.attach(other), surface.attach(other));
    return steps;
  });
  expect(steps).toEqual(["moved", true, "moved", "moved"]);
  expect(await isAlive(page)).toBe(true);
  const { frame } = await boxes(page);
  expect(frame.width).toBeGreaterThan(1000);
});

test("a View is laid out as before while it is detached, and nobody reaches it", async () => {
  const page = await openMarked(stage);
  const view = await viewFrame(page);
  const size = await view.evaluate("[innerWidth, innerHeight].join()");
  await page.evaluate(() => window.kept.view.surface.detach());
  await page.waitForTimeout(300);
  expect(await view.evaluate("[innerWidth, innerHeight].join()")).toBe(size);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1280);
  await page.focus("#composer");
  for (let i = 0; i < 6; i++) await page.keyboard.press("Tab");
  const active = await page.evaluate(
    () => document.activeElement === window.kept.view.surface.element,
  );
  expect(active).toBe(false);
});

test("a View reloads when it is moved in a browser without moveBefore, and the surface reports it", async () => {
  const page = await openMarked(stage);
  const steps = await page.evaluate(() => {
    delete (Element.prototype as { moveBefore?: unknown }).moveBefore;
    const { surface } = window.kept.view;
    const place = document.createElement("div");
    document.body.append(place);
    return [window.parts.canMove(), surface.detach(), surface.attach(place)];
  });
  expect(steps).toEqual([false, false, "new"]);
  await expect.poll(() => isAlive(page).catch(() => false)).toBe(false);
});

test("a surface reports a reload if moveBefore reloads frames in a shadow root, as in Firefox", async () => {
  const page = await openMarked(stage);
  const steps = await page.evaluate(() => {
    const moveBefore = Element.prototype.insertBefore;
    Object.assign(Element.prototype, { moveBefore });
    const { surface } = window.kept.view;
    const place = document.createElement("div");
    document.body.append(place);
    return [window.parts.canMove(), surface.detach(), surface.attach(place)];
  });
  expect(steps).toEqual([false, false, "new"]);
});

test("a View that was taken out of the page with its place is not detached alive", async () => {
  const page = await openMarked(stage);
  const isDetached = await page.evaluate(() => {
    const { surface } = window.kept.view;
    const place = document.createElement("div");
    document.body.append(place);
    surface.attach(place);
    place.remove();
    return surface.detach();
  });
  expect(isDetached).toBe(false);
});
