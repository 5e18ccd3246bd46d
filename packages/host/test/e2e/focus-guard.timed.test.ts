import { type HostStage, openHostStage } from "@vitrine/internal/host-stage";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openPartsPage } from "./parts-page.ts";
import { openView, untilReceived, viewFrame, viewOf } from "./scene.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: HostStage;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage.close());

// It reports its own value, since it may be closed when a test asks.
const FIELD = `<input id="field" oninput="send({ method: 'test/got', params: { text: this.value } })">`;
// Focuses its field on request, by its own script: a script that a driver runs counts as the user's activity.
const HONEST = viewOf(
  `greet();
  addEventListener("message", ({ data }) => data.method === "test/focus" && document.querySelector("#field").focus());`,
  FIELD,
);
// Takes the focus three times a second, from the window down to its field.
const THIEF = viewOf(
  `greet(); setInterval(() => { window.focus(); document.querySelector("#field").focus(); }, 300);`,
  FIELD,
);
const TEXT = "twenty-five keys it shall";

/** A page with a field of the Host's and Views. */
class FocusHost {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** The text in the Host's field. */
  typed(): Promise<string> {
    return this.page.evaluate(() => document.querySelector("textarea")?.value ?? "");
  }

  /** What a View got. */
  got(as = "view"): Promise<string> {
    return this.page.evaluate(
      (as) =>
        window.kept[as].received
          .filter(({ method }: { method: string }) => method === "test/got")
          .at(-1)?.params.text ?? "",
      as,
    );
  }

  thefts(as = "view"): Promise<number> {
    return this.page.evaluate((as) => window.kept[as].thefts, as);
  }

  /** Lets a View take the focus. */
  async take(as = "view"): Promise<void> {
    await this.page.evaluate(
      (as) => window.kept[as].channel.send({ jsonrpc: "2.0", method: "test/focus" }),
      as,
    );
    await this.page.waitForTimeout(300);
  }

  /** Moves the mouse to a View's field, as a hand does, and clicks. */
  async click(as = "view"): Promise<void> {
    const { x, y } = await this.page.evaluate(
      (as) => window.kept[as].frame.element.getBoundingClientRect().toJSON(),
      as,
    );
    for (const [dx, dy] of [
      [250, 80],
      [120, 40],
      [40, 18],
    ] as const) {
      await this.page.mouse.move(x + dx, y + dy, { steps: 3 });
      await this.page.waitForTimeout(60);
    }
    await this.page.mouse.down();
    await this.page.mouse.up();
    await this.page.waitForTimeout(250);
  }

  /** Puts the Views under guard; each is closed after too many thefts. */
  async guard({ isUserActive }: { isUserActive?: boolean } = {}): Promise<void> {
    await this.page.evaluate((isUserActive) => {
      const guard = window.parts.createFocusGuard();
      for (const view of Object.values<(typeof window.kept)[string]>(window.kept)) {
        const { frame } = view;
        const answer = async (): Promise<boolean | undefined> =>
          isUserActive ?? frame.isUserActive();
        view.thefts = 0;
        view.unwatch = guard.watch({ element: frame.element, isUserActive: answer }, () => {
          view.thefts++;
          frame.close();
        });
      }
    }, isUserActive);
  }

  async type(text: string): Promise<void> {
    for (const key of text) {
      await this.page.keyboard.type(key);
      await this.page.waitForTimeout(100);
    }
  }
}

async function openHost(
  views: Record<string, string>,
  { isGuarded = true } = {},
): Promise<FocusHost> {
  const page = await openPartsPage(stage);
  await page.evaluate(() => {
    const composer = Object.assign(document.createElement("textarea"), { id: "composer" });
    document.body.append(
      composer,
      Object.assign(document.createElement("button"), { id: "button" }),
    );
  });
  for (const [as, html] of Object.entries(views)) {
    await openView(page, stage, { html, as, height: 120 });
    await untilReceived(page, "ui/notifications/initialized", as);
  }
  // Chromium ignores presses in a frame that has just moved.
  await page.waitForTimeout(600);
  const host = new FocusHost(page);
  if (isGuarded) await host.guard();
  return host;
}

describe("a View that takes the focus while the user types", () => {
  test("gets the keys where nobody guards them", async () => {
    const host = await openHost({ view: THIEF }, { isGuarded: false });
    await host.page.click("#composer");
    await host.type(TEXT);
    expect((await host.got()).length).toBeGreaterThan(10);
  });

  test("gets none of 25, and is reported at the third attempt", async () => {
    const host = await openHost({ view: THIEF });
    await host.page.click("#composer");
    await host.type(TEXT);
    expect({ got: await host.got(), typed: await host.typed() }).toEqual({ got: "", typed: TEXT });
    expect(await host.thefts()).toBe(1);
  });

  test("gets no more although the mouse rests on it", async () => {
    const host = await openHost({ view: THIEF });
    await host.page.evaluate(() => {
      const { x, y } = window.kept.view.frame.element.getBoundingClientRect();
      window.kept.at = { x, y };
    });
    const { x, y } = await host.page.evaluate(() => window.kept.at);
    await host.page.mouse.move(x + 100, y + 50, { steps: 5 });
    await host.page.waitForTimeout(200);
    await host.page.focus("#composer");
    await host.type(TEXT);
    expect((await host.got()).length).toBeLessThanOrEqual(2);
    expect(await host.thefts()).toBe(1);
  });

  test("gets no more in the seconds in which an earlier click in it still counts as activity", async () => {
    const host = await openHost({ view: THIEF });
    await host.click();
    await host.page.click("#composer");
    await host.type(TEXT);
    // The first steps of the focus cannot be foreseen; a machine that is busy may lose a key to each.
    expect((await host.got()).length).toBeLessThanOrEqual(2);
    expect(await host.thefts()).toBe(1);
  });

  test("gets no more from a field in an open shadow root", async () => {
    const host = await openHost({ view: THIEF });
    await host.page.evaluate(() => {
      const host = document.createElement("div");
      const field = document.createElement("textarea");
      document.querySelector("textarea")?.replaceWith(host);
      host.attachShadow({ mode: "open" }).append(field);
      window.kept.field = field;
    });
    await host.page.click("textarea");
    await host.type(TEXT);
    const typed = await host.page.evaluate(() => window.kept.field.value);
    expect(typed.length).toBeGreaterThanOrEqual(TEXT.length - 2);
  });
});

test("a View gets nothing of what the user was writing before it came", async () => {
  const host = await openHost({ view: HONEST }, { isGuarded: false });
  await host.page.click("#composer");
  await host.guard();
  await host.take();
  await host.type("abc");
  expect({ got: await host.got(), typed: await host.typed() }).toEqual({ got: "", typed: "abc" });
});

test("a key that a View has caught does not make it the user's choice", async () => {
  const host = await openHost({ view: HONEST }, { isGuarded: false });
  // As if the relay had been asked just after the key.
  await host.guard({ isUserActive: true });
  await host.page.click("#composer");
  await host.take();
  await host.type("abc");
  expect({ got: await host.got(), typed: await host.typed() }).toEqual({ got: "", typed: "abc" });
});

test("a View that has caught a key is stopped like any other, when the mouse is elsewhere", async () => {
  const host = await openHost({ view: HONEST }, { isGuarded: false });
  // What a caught key does for seconds.
  await host.guard({ isUserActive: true });
  await host.page.click("#composer");
  for (const word of ["abc", "def", "ghi"]) {
    await host.type(word);
    await host.take();
  }
  expect(await host.thefts()).toBe(1);
});

test("a View that has tried before gets nothing where the browser tells of no further theft", async () => {
  const host = await openHost({ view: HONEST }, { isGuarded: false });
  await host.page.evaluate(() => {
    // As Firefox does, when a theft meets the focus on its way back.
    const hush = (event: Event): void => {
      if (window.kept.isHushed) event.stopImmediatePropagation();
    };
    addEventListener("blur", hush, true);
  });
  await host.guard();
  await host.page.click("#composer");
  await host.type("abc");
  await host.take();
  await host.page.evaluate(() => {
    window.kept.isHushed = true;
  });
  await host.take();
  await host.type("def");
  expect({ got: await host.got(), typed: await host.typed() }).toEqual({
    got: "",
    typed: "abcdef",
  });
});

test("keys go to nobody where what had the focus is gone", async () => {
  const host = await openHost({ view: HONEST });
  await host.page.click("#composer");
  await host.type("abc");
  await host.page.evaluate(() => document.querySelector("textarea")?.remove());
  await host.take();
  await host.type("def");
  expect(await host.got()).toBe("");
});

describe("a user who wants to write in a View", () => {
  test("clicks and types, though they have just typed elsewhere, and as often as they like", async () => {
    const host = await openHost({ view: HONEST });
    for (const [there, here] of [
      ["abc", "def"],
      ["ghi", "jkl"],
      ["mno", "pqr"],
    ] as const) {
      await host.page.click("#composer");
      await host.type(there);
      await host.click();
      await host.type(here);
    }
    expect(await host.typed()).toBe("abcghimno");
    expect([...(await host.got())].sort().join("")).toBe("defjklpqr");
    expect(await host.thefts()).toBe(0);
  });

  test("clicks with a mouse that was there already", async () => {
    const host = await openHost({ view: HONEST });
    await host.click();
    await host.page.focus("#composer");
    await host.type("abc");
    await host.page.waitForTimeout(6000);
    await host.page.mouse.down();
    await host.page.mouse.up();
    await host.page.waitForTimeout(250);
    await host.type("def");
    expect({ got: await host.got(), typed: await host.typed() }).toEqual({
      got: "def",
      typed: "abc",
    });
  });

  test("goes there and back by Tab", async () => {
    const host = await openHost({ view: HONEST });
    await host.page.focus("#composer");
    await host.type("abc");
    // The button, and the surface's two, stand between.
    for (let i = 0; i < 4; i++) await host.page.keyboard.press("Tab");
    await host.page.waitForTimeout(300);
    await host.type("def");
    expect(await host.got()).toBe("def");
    const isBack = () => host.page.evaluate(() => document.activeElement?.id === "composer");
    for (let i = 0; i < 8 && !(await isBack()); i++) await host.page.keyboard.press("Shift+Tab");
    await host.page.keyboard.press("End");
    await host.type("ghi");
    expect(await host.typed()).toBe("abcghi");
    expect(await host.thefts()).toBe(0);
  });

  test("can type where the Host itself gives the View the focus", async () => {
    const host = await openHost({ view: HONEST });
    await host.page.click("#composer");
    await host.type("abc");
    await host.page.evaluate(() => window.kept.view.frame.element.focus());
    await host.page.waitForTimeout(300);
    expect(
      await host.page.evaluate(() => document.activeElement === window.kept.view.surface.element),
    ).toBe(true);
  });
});

describe("a View that focuses its own field by itself", () => {
  test("does not get what the user is about to write elsewhere, and is not held guilty", async () => {
    const host = await openHost({ view: HONEST });
    await host.page.click("#composer");
    for (const word of ["abc", "def", "ghi", "jkl"]) {
      await host.page.waitForTimeout(1500);
      await host.take();
      await host.type(word);
    }
    expect({ got: await host.got(), typed: await host.typed() }).toEqual({
      got: "",
      typed: "abcdefghijkl",
    });
    expect(await host.thefts()).toBe(0);
  });

  test("has the focus where nobody was writing", async () => {
    const host = await openHost({ view: HONEST });
    await host.take();
    await host.type("abc");
    expect(await host.got()).toBe("abc");
  });
});

describe("of two Views", () => {
  test("one cannot take what the user types in the other", async () => {
    const host = await openHost({ view: HONEST, other: HONEST });
    await host.click("view");
    await host.type("abc");
    await host.take("other");
    await host.type("def");
    expect(await host.got("view")).toBe("abc");
    expect(await host.got("other")).toBe("");
    // A user who goes from one to the other is not stopped.
    await host.click("other");
    await host.type("ghi");
    expect(await host.got("other")).toBe("ghi");
    expect([await host.thefts("view"), await host.thefts("other")]).toEqual([0, 0]);
  });

  test("both are guarded, and neither for the other's attempts", async () => {
    const host = await openHost({ view: HONEST, thief: THIEF });
    await host.page.click("#composer");
    await host.type(TEXT);
    expect((await host.typed()).length).toBeGreaterThanOrEqual(TEXT.length - 2);
    expect([await host.thefts("view"), await host.thefts("thief")]).toEqual([0, 1]);
  });
});

test("the page is left alone when the last View is gone", async () => {
  const host = await openHost({ view: HONEST });
  await host.page.evaluate(() => window.kept.view.unwatch());
  await host.page.click("#composer");
  await host.type("abc");
  await host.take();
  await host.type("def");
  expect({ got: await host.got(), typed: await host.typed() }).toEqual({
    got: "def",
    typed: "abc",
  });
  await expect((await viewFrame(host.page)).evaluate("document.hasFocus()")).resolves.toBe(true);
});
