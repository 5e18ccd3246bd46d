// Host pages that are isolated from other origins, as those that need SharedArrayBuffer are.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Frame, Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type {} from "./pages/hosted.ts";
import { viewFrame, viewOf } from "./scene.ts";

vi.setConfig({ hookTimeout: 60_000 });

const PROGRAM = new URL("./pages/hosted.ts", import.meta.url);
const VIEW = viewOf("greet();", "<p>the app</p>");
let stage: HostStage;
let page: Page;
/** A server that sends none of these headers. */
let elsewhere: Server;
let address: string;
beforeAll(async () => {
  elsewhere = createServer((request, response) => {
    const isPage = request.url === "/page";
    response.setHeader("content-type", isPage ? "text/html" : "image/svg+xml");
    response.end(
      isPage ? "a page" : '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    );
  }).listen(0, "127.0.0.1");
  await once(elsewhere, "listening");
  address = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  const approved = [{ list: "frameDomains", source: address }] as const;
  stage = await openHostStage({ policy: { approved } });
});
afterAll(async () => {
  await stage.close();
  elsewhere.close();
});
afterEach(async () => {
  stage.headers.clear();
  await page?.close();
});

interface Shown {
  html?: string;
  meta?: object;
  way?: "entrance" | "register";
}

/** Shows a view on a page with these headers. */
async function show(headers: Record<string, string>, shown: Shown = {}): Promise<void> {
  const { html = VIEW, meta = {}, way = "entrance" } = shown;
  for (const [name, value] of Object.entries(headers)) stage.headers.set(name, value);
  page = await openHostPage(stage, { program: PROGRAM });
  await page.waitForFunction(() => "hosted" in window);
  await page.evaluate(
    ({ entrance, html, meta, way }) => {
      const { hosted } = window;
      hosted.open({ entrance, way });
      const upstream = hosted.upstream("server", [{ name: "show", html, meta }]);
      hosted.host.mount(hosted.place("one"), hosted.app("one", upstream, "show"));
    },
    { entrance: stage.entrance, html, meta, way },
  );
}

const stageOf = () => page.evaluate(() => window.hosted.host.views.get("one")?.stage);
const codes = () => page.evaluate(() => window.hosted.diagnostics.map(({ code }) => code));

async function shownView(): Promise<Frame> {
  await expect.poll(stageOf).toBe("shown");
  return viewFrame(page);
}

const OPENER = { "cross-origin-opener-policy": "same-origin" };
const ISOLATION = [
  ["require-corp", { ...OPENER, "cross-origin-embedder-policy": "require-corp" }, true],
  ["credentialless", { ...OPENER, "cross-origin-embedder-policy": "credentialless" }, true],
  ["an embedder policy alone", { "cross-origin-embedder-policy": "require-corp" }, false],
] as const;

describe.each(ISOLATION)("a page with %s", (_name, headers, isIsolated) => {
  test.each(["entrance", "register"] as const)(
    "shows a view by way of %s, and doesn't give it the page's powers",
    async (way) => {
      await show(headers, { way });
      const view = await shownView();
      expect(await page.evaluate(() => crossOriginIsolated)).toBe(isIsolated);
      // No shared memory and no precise clock, with which a view could read other processes' memory.
      expect(
        await view.evaluate(() => [crossOriginIsolated, "SharedArrayBuffer" in window]),
      ).toEqual([false, false]);
      expect(await codes()).not.toContain("frame-isolated");
    },
  );

  test("shows a view that loads images of a server without any such header", async () => {
    const html = viewOf("greet();", `<img src="${address}/image.svg">`);
    await show(headers, { html, meta: { csp: { resourceDomains: [address] } } });
    const view = await shownView();
    await expect
      .poll(() => view.evaluate(() => document.querySelector("img")?.naturalWidth))
      .toBeGreaterThan(0);
  });

  test("can't show a view that declares frames, and reports that", async () => {
    await show(headers, { meta: { csp: { frameDomains: [address] } } });
    await expect.poll(codes, { timeout: 10_000 }).toContain("frame-isolated");
  });
});

test("elsewhere a view that declares frames still shows pages without such a header", async () => {
  const html = viewOf("greet();", `<iframe src="${address}/page"></iframe>`);
  await show({}, { html, meta: { csp: { frameDomains: [address] } } });
  await shownView();
  await expect.poll(() => page.frames().map((frame) => frame.url())).toContain(`${address}/page`);
  const frame = page.frames().find((frame) => frame.url() === `${address}/page`);
  await expect.poll(() => frame?.evaluate(() => document.body.textContent)).toBe("a page");
});

test("pages of other origins can't frame a view or the entrance, isolated or not", async () => {
  const { proxyUrl } = await stage.sandbox.register({
    server: "server",
    resource: "ui://server/show",
    html: VIEW,
  });
  page = await stage.context.newPage();
  await page.goto(`${address}/page`);
  for (const src of [proxyUrl, stage.entrance]) {
    const messages = await page.evaluate(async (src) => {
      const received: unknown[] = [];
      addEventListener("message", ({ data }) => received.push(data));
      document.body.append(Object.assign(document.createElement("iframe"), { src }));
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return received;
    }, src);
    expect(messages).toEqual([]);
  }
});
