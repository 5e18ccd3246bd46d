// What users see in their language: the bar, cards, the skeleton and the dialog, as a product shows them.

import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { english } from "../../src/messages/en.ts";
import type {} from "./pages/presentation.ts";
import { viewFrame, viewOf } from "./scene.ts";

vi.setConfig({ hookTimeout: 60_000 });

const PROGRAM = new URL("./pages/presentation.ts", import.meta.url);
const HTML = viewOf(
  `greet(); send({ method: "ui/notifications/size-changed", params: { height: 120 } });`,
);

let stage: HostStage;
let page: Page;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage.close());
afterEach(() => page?.close());

async function open(language: "german" | "arabic" | "english" = "german"): Promise<void> {
  page = await openHostPage(stage, { program: PROGRAM });
  await page.waitForFunction(() => "presented" in window);
  await page.evaluate(
    ([language, entrance, html]) => window.presented.open(language, entrance, html),
    [language, stage.entrance, HTML] as const,
  );
}

/** The text that is drawn, in closed shadow roots too. */
const drawn = (): Promise<string> => page.evaluate(() => window.presented.text());

/** Every English sentence of the catalogue. */
const SENTENCES = [
  ...Object.values(english.bar),
  ...Object.values(english.card.failure),
  ...Object.values(english.consent.question),
].filter((text) => text.includes(" "));

describe("in German", () => {
  test("a view that can't be loaded leaves the result, one sentence and one button", async () => {
    await open();
    await page.evaluate(() => window.presented.show("fails"));
    await expect.poll(drawn).toContain("Der Dienst dieser App antwortet nicht.");
    const text = await drawn();
    expect(text).toContain("Regen in Oslo");
    expect(text).toContain("Erneut versuchen");
    expect(SENTENCES.filter((sentence) => text.includes(sentence))).toEqual([]);
    expect(text).not.toMatch(/ECONNREFUSED|10\.0\.0\.7|createSandbox|console/);
    const reported = await page.evaluate(() =>
      window.presented.diagnostics.map(({ code }) => code),
    );
    expect(reported).toContain("resource-failed");
  });

  test("a developer also gets the cause and the remedy", async () => {
    await open();
    await page.evaluate(() => window.presented.show("fails", { developer: true }));
    await expect.poll(drawn).toMatch(/Einzelheiten[\s\S]*ECONNREFUSED 10\.0\.0\.7/);
  });

  test("a tool without an app offers nothing to try again", async () => {
    await open();
    await page.evaluate(() => window.presented.show("plain"));
    await expect.poll(drawn).toContain("Dieses Ergebnis besteht nur aus Text.");
    expect(await drawn()).not.toContain("Erneut versuchen");
  });

  test("the dialog is in the same language, with the product's name for the server", async () => {
    await open();
    await page.evaluate(() => window.presented.ask());
    await expect.poll(drawn).toContain("Darf diese App ein Werkzeug verwenden?");
    const text = await drawn();
    expect(text).toContain("Wetterdienst");
    expect(text).not.toContain("weather.example");
    expect(SENTENCES.filter((sentence) => text.includes(sentence))).toEqual([]);
  });
});

test("in Arabic, the bar and the dialog run from right to left in any page", async () => {
  await open("arabic");
  await page.evaluate(() => window.presented.show("slow"));
  await page.evaluate(() => window.presented.ask());
  await expect.poll(drawn).toContain("هل تسمح لهذا التطبيق باستخدام أداة؟");
  const directions = await page.evaluate(() =>
    ["section", "dialog"].map((name) => {
      const element = window.presented.find(name);
      return element && [getComputedStyle(element).direction, element.lang];
    }),
  );
  expect(directions).toEqual([
    ["rtl", "ar"],
    ["rtl", "ar"],
  ]);
});

describe("a product's own fallback", () => {
  test("replaces the card, and goes when the view can be shown again", async () => {
    await open();
    await page.evaluate(() => window.presented.show("fails", { fallback: "Own words" }));
    await expect.poll(() => page.evaluate(() => window.presented.diagnostics.length)).toBe(1);
    await expect.poll(drawn).toBe("Own words");
    await page.evaluate(() => window.presented.repair());
    await expect.poll(drawn).not.toContain("Own words");
    expect(await drawn()).toContain("Wetterdienst");
  });

  test("replaces the card of a view that is stopped while it is shown", async () => {
    await open();
    await page.evaluate(() => window.presented.show("works", { fallback: "Own words" }));
    await expect.poll(drawn).toMatch(/Wetterdienst/);
    await page.waitForFunction(() => window.presented.stage() === "shown");
    expect(await drawn()).not.toContain("Own words");
    // The sandbox stops a view that leaves its document.
    await (await viewFrame(page)).evaluate("location.href = 'https://evil.example/'; undefined");
    await expect.poll(drawn).toBe("Own words");
  });
});

describe("while a view is loading", () => {
  test("nothing moves at first, then a skeleton of its last height is there without buttons", async () => {
    await open();
    const [early, late] = await page.evaluate(async () => {
      const { presented } = window;
      presented.show("slow", { height: 480 });
      const sleep = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
      await sleep(150);
      const early = { skeleton: !!presented.find(".skeleton"), text: presented.text() };
      while (!presented.find(".skeleton")) await sleep(20);
      const main = presented.find("main");
      const buttons = presented.findAll("header button").filter((it) => it.checkVisibility());
      return [
        early,
        { height: main?.clientHeight, buttons: buttons.length, text: presented.text() },
      ];
    });
    expect(early).toMatchObject({ skeleton: false });
    expect(early?.text).not.toContain("Wird geladen");
    expect(late).toMatchObject({ height: 480, buttons: 0 });
    expect(late?.text).toContain("Wird geladen …");
  });

  test("the skeleton doesn't move for users who want no motion", async () => {
    await open();
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.evaluate(() => window.presented.show("slow"));
    await page.waitForFunction(() => window.presented.find(".skeleton"));
    const animation = () =>
      page.evaluate(() => {
        const skeleton = window.presented.find(".skeleton");
        return skeleton && getComputedStyle(skeleton).animationName;
      });
    expect(await animation()).toBe("none");
    await page.emulateMedia({ reducedMotion: "no-preference" });
    expect(await animation()).toBe("pulse");
  });
});

describe("the look", () => {
  test("follows the page's variables, parts and font", async () => {
    await open();
    const look = await page.evaluate(async () => {
      const { presented } = window;
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`:root { --vitrine-background: rgb(1, 2, 3); --vitrine-color: rgb(250, 251, 252) }
        body { font-family: Georgia } mcp-app::part(title) { color: rgb(9, 9, 9) }`);
      document.adoptedStyleSheets = [sheet];
      presented.show("works");
      presented.ask();
      while (presented.stage() !== "shown" || !presented.find("dialog")) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return ["section", "dialog", "header > i"].map((name) => {
        const element = presented.find(name);
        const style = element && getComputedStyle(element);
        return style && [style.backgroundColor, style.color, style.fontFamily];
      });
    });
    const ours = ["rgb(1, 2, 3)", "rgb(250, 251, 252)", "Georgia"];
    expect(look).toEqual([ours, ours, ["rgba(0, 0, 0, 0)", "rgb(9, 9, 9)", "Georgia"]]);
  });

  test("has the colours that views get, if the page sets none", async () => {
    await open();
    await page.evaluate(() => window.presented.show("works"));
    const ground = () =>
      page.evaluate(() => {
        const card = window.presented.find("section");
        return card && getComputedStyle(card).backgroundColor;
      });
    await page.evaluate(() => window.presented.paint("rgb(10, 20, 30)"));
    await expect.poll(ground).toBe("rgb(10, 20, 30)");
  });
});
