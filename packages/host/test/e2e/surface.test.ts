import { type HostStage, openHostStage } from "@vitrine/testing/host-stage";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openPartsPage } from "./parts-page.ts";
import { openView, untilHeard, viewFrame, viewOf } from "./scene.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: HostStage;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage.close());

// Covers all it can, above everything it knows.
const GREEDY = viewOf(
  `greet(); document.body.append(Object.assign(document.createElement("input"), { id: "field" }));`,
  `<div style="position:fixed;inset:-500px;z-index:2147483647;background:rgb(255,0,0)"></div>`,
);

/** A page with a View that has a mark, by which a document that loaded anew is found out. */
async function openMarked(html = GREEDY): Promise<Page> {
  const page = await openPartsPage(stage);
  await page.evaluate(() => {
    document.body.style.margin = "40px";
    const field = Object.assign(document.createElement("input"), { id: "composer" });
    document.body.append(field);
  });
  await openView(page, stage, { html });
  await untilHeard(page, "ui/notifications/initialized");
  await page.evaluate(() => {
    const { surface } = window.kept.view;
    surface.onModeRequest((mode: "inline") => surface.setMode(mode));
  });
  const view = await viewFrame(page);
  await view.evaluate("document.mark = 1; undefined");
  return page;
}

const isAlive = async (page: Page): Promise<boolean> => {
  const view = page.frames().find((frame) => frame.url().includes("/v/"));
  return (await view?.evaluate("document.mark === 1")) === true;
};

/** Where things are, as the Host's page sees them; the shadow root is closed to everybody else. */
const boxes = (page: Page) =>
  page.evaluate(() => {
    const { surface, frame } = window.kept.view;
    const card = surface.body.parentElement;
    const of = (element: Element) => element.getBoundingClientRect().toJSON() as DOMRect;
    return { card: of(card), frame: of(frame.element), element: of(surface.element) };
  });

/** What can be read in a surface, buttons by their names. */
const readSurface = (page: Page) =>
  page.evaluate(() => {
    const card = (window.kept.view?.surface ?? window.kept.surface).body
      .parentElement as HTMLElement;
    const buttons = [...card.querySelectorAll("button")].filter((item) => item.checkVisibility());
    const names = buttons.map((item) => item.ariaLabel ?? item.textContent);
    // biome-ignore lint/performance/useDomNodeTextContent: what is hidden does not count.
    return { text: card.innerText, buttons: names };
  });

/** Clicks where a button or summary is drawn; drivers do not look into closed shadow roots. */
async function press(page: Page, name: string): Promise<void> {
  const find = (name: string) => {
    const card = (window.kept.view?.surface ?? window.kept.surface).body
      .parentElement as HTMLElement;
    const all = [...card.querySelectorAll<HTMLElement>("button,summary")];
    const found = all.find(
      (item) => (item.ariaLabel ?? item.textContent) === name && item.checkVisibility(),
    );
    return found?.getBoundingClientRect().toJSON() as DOMRect | undefined;
  };
  const handle = await page.waitForFunction(find, name, { timeout: 5000 });
  const { x, y, width, height } = (await handle.jsonValue()) as DOMRect;
  // The browser decides which process gets a click by what it last drew.
  await page.waitForTimeout(150);
  await page.mouse.click(x + width / 2, y + height / 2);
}

/** What is read out: names by role. */
async function namesOf(page: Page, role: string): Promise<string[]> {
  const session = await stage.context.newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const found = nodes.filter((node) => !node.ignored && node.role?.value === role);
  return found.map(({ name }) => name?.value ?? "");
}

describe("what the Host draws around a View", () => {
  test("names the Server and marks where the View ends, and the View cannot cover it (HST-36)", async () => {
    const page = await openMarked();
    const { card, frame } = await boxes(page);
    expect(frame.top).toBeGreaterThanOrEqual(card.top + 30);
    const shot = await page.screenshot();
    const colours = await page.evaluate(
      async ([png, points]) => {
        const bitmap = await createImageBitmap(
          new Blob([Uint8Array.from(atob(png), (c) => c.charCodeAt(0))]),
        );
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
        context?.drawImage(bitmap, 0, 0);
        return points.map(([x, y]) =>
          [...(context?.getImageData(x, y, 1, 1).data ?? [])].slice(0, 3),
        );
      },
      [
        shot.toString("base64"),
        [
          [frame.x + 100, frame.y + 100],
          [frame.x + 300, frame.y - 5],
          [frame.x - 3, frame.y + 50],
          [frame.x + 100, card.bottom + 3],
        ].map((point) => point.map(Math.round)) as [number, number][],
      ] as const,
    );
    const red = [255, 0, 0];
    expect(colours[0]).toEqual(red);
    for (const colour of colours.slice(1)) expect(colour).not.toEqual(red);
    expect((await readSurface(page)).text).toMatch(/^test\s+A tool/);
  });

  test("has a border as the resource prefers, and one where it does not say (HST-37)", async () => {
    const page = await openPartsPage(stage);
    const widths = await page.evaluate(() =>
      [true, undefined, false].map((border) => {
        const surface = window.parts.createSurface({ title: "T", server: "s", modes: [], border });
        surface.attach(document.body);
        return getComputedStyle(surface.body.parentElement as Element).borderTopWidth;
      }),
    );
    expect(widths).toEqual(["1px", "1px", "0px"]);
  });

  test("is text, whatever a Server calls itself or its tools", async () => {
    const page = await openPartsPage(stage);
    const count = await page.evaluate(() => {
      const name = "<img src=x onerror=alert(1)>";
      const surface = window.parts.createSurface({ title: name, server: name, modes: [] });
      window.kept.surface = surface;
      surface.attach(document.body);
      surface.setStatus(name);
      surface.showFallback(name, { title: name, cause: name, remedy: name, details: name });
      return new Promise((resolve) =>
        setTimeout(() => resolve(surface.body.parentElement?.querySelectorAll("img").length), 500),
      );
    });
    expect(count).toBe(0);
    expect((await readSurface(page)).text.split("<img src=x").length).toBeGreaterThan(5);
  });

  test("needs no leave for styles or markup from the page's policy", async () => {
    const page = await openPartsPage(stage);
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    const colour = await page.evaluate(async () => {
      const surface = window.parts.createSurface({
        title: "T",
        server: "s",
        modes: ["fullscreen"],
      });
      surface.attach(document.body);
      surface.reveal();
      surface.setMode("fullscreen");
      surface.showFallback("text", { title: "t", details: "d" }, () => {});
      await new Promise((resolve) => setTimeout(resolve, 300));
      return getComputedStyle(surface.body.parentElement as Element).position;
    });
    expect(colour).toBe("fixed");
    expect(complaints).toEqual([]);
  });

  test("fits a screen of 360 pixels without scrolling sideways, in either direction of writing", async () => {
    const page = await openPartsPage(stage, { viewport: { width: 360, height: 640 } });
    for (const direction of ["ltr", "rtl"]) {
      const widths = await page.evaluate((direction) => {
        document.documentElement.dir = direction;
        document.body.replaceChildren();
        const surface = window.parts.createSurface({
          title: "A very long title ".repeat(10),
          server: "a-server-with-a-very-long-name.example.com",
          modes: ["inline", "fullscreen", "pip"],
        });
        surface.attach(document.body);
        surface.setSize({ width: 2000, height: 100 });
        surface.setStatus("A long word on what is going on");
        return (["inline", "pip", "fullscreen"] as const).map((mode) => {
          surface.setMode(mode);
          return document.documentElement.scrollWidth;
        });
      }, direction);
      expect(widths).toEqual([360, 360, 360]);
    }
  });
});

describe("a View", () => {
  test("is neither seen nor touched before it is revealed, and yet measures itself", async () => {
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
    await untilHeard(page, "test/measured");
    const { frame } = await boxes(page);
    await page.mouse.click(frame.x + 50, frame.y + 50);
    expect((await readSurface(page)).text).toContain("Loading…");
    const [opacity, heard] = await page.evaluate(() => [
      getComputedStyle(window.kept.view.surface.body).opacity,
      window.kept.view.heard.map(({ method }: { method: string }) => method),
    ]);
    expect(opacity).toBe("0");
    expect(heard).not.toContain("test/clicked");
    await page.evaluate(() => window.kept.view.surface.reveal());
    await page.waitForTimeout(300);
    await page.mouse.click(frame.x + 50, frame.y + 50);
    await untilHeard(page, "test/clicked");
  });

  test("goes to full screen, to a corner and back without loading anew", async () => {
    const page = await openMarked();
    const before = await boxes(page);
    await press(page, "Full screen");
    const full = await boxes(page);
    expect(full.card).toMatchObject({ x: 0, y: 0, width: 1280, height: 800 });
    expect(full.frame.height).toBeGreaterThan(700);
    await press(page, "Picture in picture");
    const corner = await boxes(page);
    expect(corner.card).toMatchObject({ right: 1280 - 16, bottom: 800 - 16 });
    expect(corner.card.width).toBeLessThan(500);
    // What stands below has not moved meanwhile.
    expect(corner.element.height).toBe(before.element.height);
    await press(page, "Back to the page");
    expect(await boxes(page)).toEqual(before);
    expect(await isAlive(page)).toBe(true);
  });

  test("stays below the Host's own controls, which are there in every mode", async () => {
    const page = await openMarked();
    for (const mode of ["fullscreen", "pip"] as const) {
      await page.evaluate((mode) => window.kept.view.surface.setMode(mode), mode);
      await press(page, "Back to the page");
      expect(await page.evaluate(() => window.kept.view.surface.mode)).toBe("inline");
    }
  });

  test("leaves full screen by Escape, and the focus goes back where it was", async () => {
    const page = await openMarked();
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

  test("gives the focus back to the button that it was sent away with", async () => {
    const page = await openMarked();
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

  test("that goes to a corner does not take the focus from whoever writes", async () => {
    const page = await openMarked();
    await page.focus("#composer");
    for (const mode of ["pip", "inline"] as const) {
      await page.evaluate((mode) => window.kept.view.surface.setMode(mode), mode);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("composer");
    }
  });

  test("keeps the focus that it has when its mode changes", async () => {
    const page = await openMarked(viewOf("greet();", `<input id="field">`));
    const { frame } = await boxes(page);
    await page.mouse.click(frame.x + 30, frame.y + 20);
    await page.evaluate(() => window.kept.view.surface.setMode("fullscreen"));
    await page.keyboard.type("abc");
    await page.evaluate(() => window.kept.view.surface.setMode("inline"));
    await page.keyboard.type("def");
    const view = await viewFrame(page);
    expect(await view.evaluate("document.querySelector('#field').value")).toBe("abcdef");
  });

  test("has buttons for the modes on offer, and is put into no other", async () => {
    const page = await openMarked();
    await page.evaluate(() => window.kept.view.surface.setModes(["inline", "pip"]));
    expect((await readSurface(page)).buttons).toEqual(["Picture in picture"]);
    const set = await page.evaluate(() => window.kept.view.surface.setMode("fullscreen"));
    expect(set).toBe(false);
    expect(await page.evaluate(() => window.kept.view.surface.mode)).toBe("inline");
  });

  test("lives on when its place in the page changes, is taken away, and is given back", async () => {
    const page = await openMarked();
    const steps = await page.evaluate(() => {
      const { surface } = window.kept.view;
      const place = document.createElement("div");
      document.body.prepend(place);
      const steps = [surface.attach(place), surface.park()];
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

  test("is laid out as before while it is parked, and nobody reaches it", async () => {
    const page = await openMarked();
    const view = await viewFrame(page);
    const size = await view.evaluate("[innerWidth, innerHeight].join()");
    await page.evaluate(() => window.kept.view.surface.park());
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

  test("cannot be moved alive by a browser without moveBefore, and the surface says so", async () => {
    const page = await openMarked();
    const steps = await page.evaluate(() => {
      delete (Element.prototype as { moveBefore?: unknown }).moveBefore;
      const { surface } = window.kept.view;
      const place = document.createElement("div");
      document.body.append(place);
      return [window.parts.canMove(), surface.park(), surface.attach(place)];
    });
    expect(steps).toEqual([false, false, "new"]);
    await expect.poll(() => isAlive(page).catch(() => false)).toBe(false);
  });

  test("that was taken out of the page with its place is not parked alive", async () => {
    const page = await openMarked();
    const isParked = await page.evaluate(() => {
      const { surface } = window.kept.view;
      const place = document.createElement("div");
      document.body.append(place);
      surface.attach(place);
      place.remove();
      return surface.park();
    });
    expect(isParked).toBe(false);
  });
});

describe("in the place of a View that fails", () => {
  const fail = (page: Page) =>
    page.evaluate(() => {
      window.kept.retries = 0;
      window.kept.view.surface.showFallback(
        "Rain in Oslo.\nSun in Rome.",
        {
          title: "It did not start.",
          cause: "Its script failed.",
          remedy: "Read the console.",
          details: '{"code":1}',
        },
        () => window.kept.retries++,
      );
    });

  test("there are the tool's own words, what happened and what to do, details to copy, and a way to try again", async () => {
    const page = await openMarked();
    await stage.context.grantPermissions(["clipboard-read", "clipboard-write"], {
      origin: stage.hostOrigin,
    });
    await fail(page);
    await expect
      .poll(async () => (await readSurface(page)).text)
      .toMatch(
        /It did not start\.\s+Rain in Oslo\.\nSun in Rome\.\s+Its script failed\.\s+Read the console\./,
      );
    expect((await boxes(page)).frame.height).toBe(0);
    await press(page, "Try again");
    expect(await page.evaluate(() => window.kept.retries)).toBe(1);
    await press(page, "Details");
    await press(page, "Copy");
    await expect.poll(async () => (await readSurface(page)).buttons).toContain("Copied");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('{"code":1}');
    await page.evaluate(() => window.kept.view.surface.reveal());
    expect((await boxes(page)).frame.height).toBe(200);
    expect((await readSurface(page)).text).not.toContain("Rain");
  });

  test("the words are there even if nothing more can be loaded", async () => {
    const page = await openMarked();
    await page.route("**/*.js", (route) => route.abort());
    await fail(page);
    await page.waitForTimeout(500);
    expect((await readSurface(page)).text).toMatch(
      /Rain in Oslo\.\nSun in Rome\.\s.*Read the console\./s,
    );
  });
});

test("a status is read out, and labels come in the language of the Host", async () => {
  const page = await openPartsPage(stage);
  await page.evaluate(() => {
    const surface = window.parts.createSurface({
      title: "T",
      server: "s",
      modes: ["inline", "fullscreen"],
      labels: { fullscreen: "Plein écran", loading: "Chargement" },
    });
    surface.attach(document.body);
    window.kept.surface = surface;
  });
  expect((await readSurface(page)).text).toContain("Chargement");
  await page.evaluate(() => window.kept.surface.reveal());
  expect(await namesOf(page, "button")).toEqual(["Plein écran"]);
  expect(await namesOf(page, "status")).toHaveLength(1);
  expect(await namesOf(page, "region")).toEqual(["s: T"]);
  await page.evaluate(() => window.kept.surface.setStatus("3 results"));
  expect((await readSurface(page)).text).toContain("3 results");
});

test("without motion for those who want none, and with a boundary where colours are the user's", async () => {
  const page = await openPartsPage(stage);
  await page.evaluate(() => {
    const surface = window.parts.createSurface({
      title: "T",
      server: "s",
      modes: [],
      border: false,
    });
    surface.attach(document.body);
    surface.reveal();
    window.kept.surface = surface;
  });
  const read = () =>
    page.evaluate(() => {
      const { body } = window.kept.surface;
      const { transitionDuration } = getComputedStyle(body);
      return [transitionDuration, getComputedStyle(body.parentElement).borderTopWidth];
    });
  await page.emulateMedia({ reducedMotion: "no-preference" });
  expect(await read()).toEqual(["0.15s", "0px"]);
  await page.emulateMedia({ reducedMotion: "reduce", forcedColors: "active" });
  expect(await read()).toEqual(["0s", "1px"]);
});
