// What a view keeps under each profile after "Reload view": our own host keeps state itself, and other
// products only have the storage of the view's origin.

import { launchChromium } from "@vitrine/internal/chromium";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startDevServer } from "../../src/dev/dev-server.ts";
import { type DevSession, openDevSession } from "../../src/dev/dev-session.ts";
import { readTarget } from "../../src/target/target.ts";
import { type DevProject, makeProject, newestView, viewPage } from "./dev-project.ts";

vi.setConfig({ hookTimeout: 90_000, testTimeout: 60_000 });

const SERVER = new URL("dev-fixtures/counter.mjs", import.meta.url).pathname;
const ON_SOURCES = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];

const counterPage = (heading: string): Promise<string> =>
  viewPage(
    `const draw = () => { $("count").textContent = String(app.state.get()?.count ?? 0); };
$("more").onclick = () => { app.state.set({ count: (app.state.get()?.count ?? 0) + 1 }); draw(); };
app.state.ready.then(draw);`,
    `<h1>${heading}</h1><button id="more">More</button> <b id="count">waiting</b>`,
  );

let project: DevProject;
let session: DevSession;
let page: Page;
let close: () => Promise<void>;
beforeAll(async () => {
  project = await makeProject();
  await project.write("counter.html", await counterPage("Counter"));
  const words = ["node", ...ON_SOURCES, SERVER, `${project.folder}/counter.html`];
  session = await openDevSession({
    start: (callbacks) => startDevServer(readTarget(words), callbacks),
    port: 0,
    watch: [project.folder],
    onEvent: () => {},
  });
  // Like a user's browser, with storage for frames of other sites: Playwright switches it off.
  const browser = await launchChromium({
    viewport: { width: 1440, height: 900 },
    args: ["--disable-features=WebUIOmniboxPopup,HttpsUpgrades"],
  });
  ({ close } = browser);
  page = await browser.context.newPage();
  await page.goto(session.url);
});
afterAll(async () => {
  await close?.();
  await session?.close();
  await project?.remove();
});

const shows = async (heading: string, count: string): Promise<void> => {
  const text = async (): Promise<string> => {
    const view = await newestView(page);
    const read = (name: string): Promise<string | null> =>
      view.locator(name).textContent({ timeout: 1000 });
    return `${await read("h1")} ${await read("#count")}`;
  };
  await expect.poll(() => text().catch(String), { timeout: 20_000 }).toBe(`${heading} ${count}`);
};

test.each(["", "claude", "chatgpt"])(
  "a view keeps its state over reloads and edits, profile %j",
  async (profile) => {
    await project.write("counter.html", await counterPage("Counter"));
    await page.locator("select[aria-label=Host]").selectOption(profile);
    await page.locator(".tools li button", { hasText: "counter" }).first().click();
    await page.getByRole("button", { name: /^Run/ }).click();
    await shows("Counter", "0");
    const view = await newestView(page);
    await view.evaluate(() => document.getElementById("more")?.click());
    await view.evaluate(() => document.getElementById("more")?.click());
    await shows("Counter", "2");
    await page.getByRole("button", { name: "Reload view" }).click();
    await expect.poll(() => view.isDetached(), { timeout: 20_000 }).toBe(true);
    await shows("Counter", "2");
    await project.write("counter.html", await counterPage("Edited"));
    await shows("Edited", "2");
    // Another call is another view.
    await page.getByRole("button", { name: /^Run/ }).click();
    await shows("Edited", "0");
  },
);
