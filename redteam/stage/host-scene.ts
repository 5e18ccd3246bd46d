import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright";
import type { Scene } from "../checks/check.ts";
import type { SiteOptions, SiteRecord, SiteServer } from "./host-program.ts";
import { hostSite } from "./host-site.ts";
import { within } from "./page-steps.ts";

/** A click or key whose frame goes away under it is never acknowledged. */
const PATIENCE = 3000;

/** A view to be shown: a tool of a server. */
export interface Shown {
  readonly key: string;
  readonly server: string;
  readonly tool: string;
  readonly input?: Record<string, unknown>;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A page with the real host, seen from outside: what it did, and a user's hands on it. */
export class HostScene {
  readonly page: Page;
  /** Names of files that the browser saved. */
  readonly saved: string[] = [];
  /** Windows that the page opened. */
  windows = 0;

  constructor(page: Page) {
    this.page = page;
    page.on("popup", (popup) => {
      this.windows += 1;
      void popup.close().catch(() => {});
    });
    page.on("download", (download) => {
      this.saved.push(download.suggestedFilename());
      void download.cancel().catch(() => {});
    });
  }

  record(): Promise<SiteRecord> {
    return this.page.evaluate(() => window.site.record);
  }

  /** Shows views and waits until the user can see them. */
  async show(...views: Shown[]): Promise<void> {
    await this.page.evaluate((all) => {
      for (const { key, server, tool, input } of all) window.site.mount(key, server, tool, input);
    }, views);
    for (const { key } of views) await this.reach(key);
  }

  /** Waits until a view's handshake is over. */
  async reach(key: string, patience = 30_000): Promise<void> {
    await this.page.waitForFunction(
      (name) => window.site.host.views.get(name)?.bridge?.initialized,
      key,
      { timeout: patience },
    );
  }

  /** What a view has said. */
  async said(view = "view"): Promise<unknown[]> {
    const { said } = await this.record();
    return said.filter((line) => line.view === view).map(({ data }) => data);
  }

  /** Waits for the record to hold something; the last one either way. */
  async until(enough: (record: SiteRecord) => boolean, patience = 15_000): Promise<SiteRecord> {
    const end = performance.now() + patience;
    for (;;) {
      const record = await this.record();
      if (enough(record) || performance.now() >= end) return record;
      await sleep(60);
    }
  }

  /** Waits until a view has said so many things. */
  async untilSaid(count: number, view = "view", patience = 15_000): Promise<unknown[]> {
    await this.until(
      ({ said }) => said.filter((line) => line.view === view).length >= count,
      patience,
    );
    return this.said(view);
  }

  /** Where something of a view's place is: its frame by default. */
  async box(selector = "iframe", key = "view"): Promise<Box> {
    const box = await this.page.evaluate(
      ([selector, key]) => {
        const found = window.site.root(key)?.querySelector(selector);
        return found?.getBoundingClientRect().toJSON() as Box | undefined;
      },
      [selector, key] as const,
    );
    if (!box) throw new Error(`${key} has no ${selector}.`);
    return box;
  }

  /** A real click, by a mouse that comes from elsewhere as a hand moves it. */
  async click(selector = "iframe", key = "view"): Promise<void> {
    const { mouse } = this.page;
    const touches = async () => (await this.record()).touches.filter((one) => one === key).length;
    const before = await touches();
    // The browser sends a click to what it drew last, which may have been before the view was shown.
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await this.settle();
      const { x, y, width, height } = await this.box(selector, key);
      // Across the bar above the view.
      await within(mouse.move(x + width / 2, y - 12), PATIENCE);
      await sleep(150);
      await within(mouse.click(x + width / 2, y + height / 2), PATIENCE);
      if (selector !== "iframe") return;
      const end = performance.now() + PATIENCE;
      while (performance.now() < end) {
        if ((await touches()) > before) return;
        await sleep(50);
      }
    }
  }

  /** Waits until presses count again after a change of the layout. */
  async settle(): Promise<void> {
    const isOver = () => !document.querySelector("[data-vitrine-shield]");
    await this.page.waitForFunction(isOver, undefined, { timeout: PATIENCE }).catch(() => {});
  }

  /** A real key. */
  async press(key: string): Promise<void> {
    await within(this.page.keyboard.press(key, { delay: 20 }), PATIENCE);
  }

  /** Lets a view that listens do what it waits for, and gives it a moment. */
  async provoke(key = "view"): Promise<void> {
    await this.page.evaluate(
      (name) => window.site.host.views.get(name)?.bridge?.peer.notify("redteam/now"),
      key,
    );
    await sleep(200);
  }

  /** The mode a view is shown in. */
  mode(key = "view"): Promise<string | undefined> {
    return this.page.evaluate((name) => window.site.host.views.get(name)?.displayMode, key);
  }

  /** All that can be read in a view's place or in the dialog. */
  text(key = "view"): Promise<string> {
    return this.page.evaluate((name) => window.site.root(name)?.textContent ?? "", key);
  }
}

/** Opens a page with the real host on the scene's stage. */
export async function openHost(
  scene: Scene,
  servers: readonly SiteServer[],
  options: Partial<SiteOptions> = {},
): Promise<HostScene> {
  const { stage } = scene;
  const page = await scene.page();
  const host = new HostScene(page);
  await page.goto(await hostSite(stage));
  await page.waitForFunction(() => window.site);
  const all: SiteOptions = {
    entrance: stage.entrance,
    servers,
    consent: "yes",
    takes: [],
    mayLeave: false,
    width: 560,
    ...options,
  };
  await page.evaluate((given) => window.site.open(given as SiteOptions), all as object);
  return host;
}

/** Opens a page with one hostile view, `view`, of a server called `hostile`. */
export async function openView(
  scene: Scene,
  html: string,
  options: Partial<SiteOptions> = {},
  input: Record<string, unknown> = {},
): Promise<HostScene> {
  const host = await openHost(
    scene,
    [{ name: "hostile", tools: [{ name: "show", html }] }],
    options,
  );
  await host.show({ key: "view", server: "hostile", tool: "show", input });
  return host;
}
