// What a page tells its views, and what a host tells its page.

import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Frame, Page } from "playwright";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type {} from "./pages/hosted.ts";
import { sdkView } from "./sdk-view.ts";

vi.setConfig({ hookTimeout: 60_000 });

const PROGRAM = new URL("./pages/hosted.ts", import.meta.url);
const RESULT = { content: [{ type: "text" as const, text: "the answer" }] };
let stage: HostStage;
let page: Page;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage.close());
afterEach(() => page?.close());

async function openPage(): Promise<void> {
  page = await openHostPage(stage, { program: PROGRAM });
  await page.evaluate((entrance) => window.hosted.open({ entrance }), stage.entrance);
}

/** Shows a View and waits until it is visible. */
async function show(html: string): Promise<Frame> {
  await page.evaluate(
    ({ html, result }) => {
      const { hosted } = window;
      const upstream = hosted.upstream("server", [{ name: "show", html }]);
      const view = hosted.host.mount(hosted.place("one"), hosted.app("one", upstream, "show"));
      view.update({ input: { secret: 2 }, result });
    },
    { html, result: RESULT },
  );
  await expect
    .poll(() => page.evaluate(() => window.hosted.host.views.get("one")?.stage))
    .toBe("shown");
  return page.frames().find((frame) => frame.url().includes("/v/")) as Frame;
}

test("events tell stages, calls, consent and display modes of a view, and no content", async () => {
  await openPage();
  await page.evaluate(() => {
    const events: unknown[] = [];
    Object.assign(window, { events });
    window.hosted.host.onEvent((event) => events.push(event));
  });
  const html = await sdkView("", {
    body: `<button onclick="app.callServerTool({name:'show',arguments:{secret:1}})">call</button>`,
  });
  const view = await show(html);
  await view.click("button");
  await page.evaluate(() => window.hosted.host.views.get("one")?.setDisplayMode("pip"));
  const events = () => page.evaluate(() => (window as never as { events: object[] }).events);
  const from = { view: "one", server: "server", tool: "show" };
  await expect.poll(events).toContainEqual({
    type: "tool-call",
    name: "show",
    outcome: "ok",
    duration: expect.any(Number),
    ...from,
  });
  const found = await events();
  const stages = found.filter((event) => (event as { type: string }).type === "stage");
  expect(stages.map((event) => (event as { stage: string }).stage)).toEqual([
    "resource",
    "sandbox",
    "document",
    "initialize",
    "initialized",
    "shown",
  ]);
  expect(found).toContainEqual({
    type: "consent",
    kind: "tool",
    allow: true,
    duration: expect.any(Number),
    ...from,
  });
  expect(found).toContainEqual({ type: "display-mode", mode: "pip", ...from });
  expect(JSON.stringify(found)).not.toContain("secret");
});

test("a view gets all twelve fields of the host context without any option, and their changes", async () => {
  await openPage();
  await page.emulateMedia({ colorScheme: "light" });
  await page.evaluate(() => {
    document.documentElement.lang = "de-CH";
    document.documentElement.style.colorScheme = "light dark";
  });
  const html = await sdkView(
    "const tell = () => show('context', app.getHostContext()); app.onhostcontextchanged = tell; tell();",
  );
  const view = await show(html);
  const read = async () =>
    JSON.parse(String(await view.evaluate(() => document.body.dataset.context)));
  const context = await read();
  expect(context).toMatchObject({
    theme: "light",
    displayMode: "inline",
    availableDisplayModes: ["inline", "fullscreen", "pip"],
    locale: "de-CH",
    userAgent: "Vitrine/0.1.0",
    platform: "web",
    deviceCapabilities: { touch: false, hover: true },
    safeAreaInsets: { top: 0, right: 0, bottom: 0, left: 0 },
  });
  expect(Object.keys(context).sort()).toEqual([
    "availableDisplayModes",
    "containerDimensions",
    "deviceCapabilities",
    "displayMode",
    "locale",
    "platform",
    "safeAreaInsets",
    "styles",
    "theme",
    "timeZone",
    "toolInfo",
    "userAgent",
  ]);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(async () => (await read()).theme).toBe("dark");
});
