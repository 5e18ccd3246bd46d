import { type HostStage, openHostStage } from "@vitrine/internal/host-stage";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openPartsPage } from "./parts-page.ts";
import { boxes, namesOf, openMarked, press, readSurface } from "./surface-scene.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: HostStage;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage.close());

describe("what the Host draws around a View", () => {
  test("names the Server and marks where the View ends, and the View cannot cover it (HST-36)", async () => {
    const page = await openMarked(stage);
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
      const surface = window.parts.createSurface({
        title: name,
        server: name,
        modes: [],
        developer: true,
      });
      window.kept.surface = surface;
      surface.attach(document.body);
      surface.setStatus(name);
      const about = { level: "error", stage: "document", elapsed: 1 } as const;
      const diagnostic = { ...about, code: "resource-type" as const, server: name, detail: name };
      surface.showFallback(name, { diagnostic });
      return new Promise((resolve) =>
        setTimeout(() => {
          const card = surface.body.parentElement;
          card?.querySelector("details")?.setAttribute("open", "");
          resolve(card?.querySelectorAll("img").length);
        }, 1000),
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
      surface.showFallback("text", {}, () => {});
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

describe("in the place of a View that fails", () => {
  const fail = (page: Page, code = "document-timeout") =>
    page.evaluate((code) => {
      window.kept.retries = 0;
      const diagnostic = { level: "error", stage: "document", code, elapsed: 1, server: "test" };
      window.kept.view.surface.showFallback(
        "Rain in Oslo.\nSun in Rome.",
        { diagnostic },
        () => window.kept.retries++,
      );
    }, code);

  test("there are the tool's own words, what happened, and a way to try again", async () => {
    const page = await openMarked(stage);
    await fail(page);
    await expect
      .poll(async () => (await readSurface(page)).text)
      .toMatch(/This app didn’t start\.\s+Rain in Oslo\.\nSun in Rome\.\s+Try again$/);
    expect((await readSurface(page)).buttons).toEqual(["Try again"]);
    expect((await boxes(page)).frame.height).toBe(0);
    await press(page, "Try again");
    expect(await page.evaluate(() => window.kept.retries)).toBe(1);
    await page.evaluate(() => window.kept.view.surface.reveal());
    expect((await boxes(page)).frame.height).toBe(200);
    expect((await readSurface(page)).text).not.toContain("Rain");
  });

  test("the words are there even if nothing more can be loaded", async () => {
    const page = await openMarked(stage);
    await page.route("**/*.js", (route) => route.abort());
    await fail(page);
    await expect
      .poll(async () => (await readSurface(page)).text)
      .toMatch(/This app can’t be shown\.\s+Rain in Oslo\.\nSun in Rome\./);
  });

  test("no button is there that would change nothing", async () => {
    const page = await openMarked(stage);
    await fail(page, "no-resource");
    await expect
      .poll(async () => (await readSurface(page)).text)
      .toContain("This result is text only.");
    expect((await readSurface(page)).buttons).toEqual([]);
  });
});

test("a status is read out, and labels come in the language of the Host", async () => {
  const page = await openPartsPage(stage);
  await page.evaluate(() => {
    const surface = window.parts.createSurface({
      title: "T",
      server: "s",
      modes: ["inline", "fullscreen"],
      messages: { bar: { fullscreen: "Plein écran", loading: "Chargement" } },
    });
    surface.attach(document.body);
    window.kept.surface = surface;
  });
  await expect.poll(async () => (await readSurface(page)).text).toContain("Chargement");
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
