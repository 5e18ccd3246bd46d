// A React Native app: the host's code runs without a page, here in Node, and a WebView, here a page of
// Chromium, gives every frame in it the object `ReactNativeWebView`, as Android does.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type AlteredSandbox, openAlteredSandbox } from "@vitrine/internal/altered-sandbox";
import { type HostStage, openHostStage } from "@vitrine/internal/host-stage";
import type { Page } from "playwright";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { AppBridge } from "../../src/bridge/bridge.ts";
import { openWebView, type WebViewConnection } from "../../src/react-native/web-view.ts";
import { callbacksUpstream } from "../../src/upstreams/callbacks.ts";
import { viewFrame, viewOf } from "./scene.ts";
import { sdkView } from "./sdk-view.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: HostStage;
let box: AlteredSandbox;
/** Answers for the WebView, which loads the page's text under an address of the app. */
let server: Server;
let origin: string;
let source = "";
let page: Page;
beforeAll(async () => {
  stage = await openHostStage();
  server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(source);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://app.localhost:${(server.address() as AddressInfo).port}`;
  box = await openAlteredSandbox([origin]);
});
afterAll(async () => {
  await stage.close();
  box.close();
  server.close();
});
afterEach(() => page?.close());

// Each of these means something to a program, a page or JSON.
const TRICKY = { city: "Oslo \u2028 </script> \\ \"'` \n $" };

interface App {
  view: WebViewConnection;
  /** Everything that anything in the WebView has posted. */
  posted: string[];
}

/** What `<WebView source onMessage injectJavaScript>` does. */
async function openApp(html: string, way: "entrance" | "register" = "entrance"): Promise<App> {
  const posted: string[] = [];
  page = await stage.context.newPage();
  const sandbox =
    way === "entrance"
      ? box.entrance
      : {
          register: (view: object) => box.sandbox.register(view as never) as never,
          entrance: box.entrance,
        };
  const view = openWebView({
    sandbox,
    resource: { html, meta: {} },
    identity: { server: "weather", resource: "ui://weather/show" },
    origin,
    inject: (code) => void page.evaluate(code).catch(() => {}),
  });
  await page.exposeBinding("postToApp", (_source, data: string) => {
    posted.push(data);
    view.onMessage({ nativeEvent: { data } });
  });
  await page.addInitScript(() => {
    const { postToApp } = window as never as { postToApp(data: string): void };
    Object.assign(window, {
      ReactNativeWebView: { postMessage: (data: string) => postToApp(data) },
    });
  });
  source = view.source.html;
  await page.goto(view.source.baseUrl);
  return { view, posted };
}

test.each(["entrance", "register"] as const)(
  "a view in a WebView gets its data and calls tools, by way of %s",
  async (way) => {
    const html = await sdkView("", {
      body: `<button onclick="app.callServerTool({name:'show',arguments:{}}).then((r) => show('called', r.content))">call</button>`,
    });
    const { view } = await openApp(html, way);
    const upstream = callbacksUpstream({
      server: "weather",
      listTools: async () => ({ tools: [{ name: "show", inputSchema: { type: "object" } }] }),
      callTool: async ({ name }) => ({ content: [{ type: "text", text: `called ${name}` }] }),
    });
    const consent = vi.fn(async () => true);
    const bridge = new AppBridge(upstream, { name: "App", version: "1" }, {}, { consent });
    const initialized = new Promise<void>((resolve) => {
      bridge.oninitialized = () => resolve();
    });
    await bridge.connect(await view.channel);
    bridge.sandbox = (await view.registered).grant;
    await initialized;
    await bridge.sendToolInput({ arguments: TRICKY });
    const frame = await viewFrame(page);
    const shown = (name: string) => frame.evaluate((name) => document.body.dataset[name], name);
    await expect.poll(() => shown("input")).toBe(JSON.stringify(TRICKY));
    await frame.click("button");
    await expect.poll(() => shown("called")).toContain("called show");
    // The click is the sandbox's word, not the view's.
    expect(consent).toHaveBeenCalledWith(expect.objectContaining({ userActive: true }));
    const closed = vi.fn();
    bridge.onclose = closed;
    view.close();
    view.close();
    expect(closed).toHaveBeenCalledOnce();
    await expect.poll(() => page.frames().length).toBe(1);
  },
);

test("a view that posts to the app itself is ignored", async () => {
  const forged = {
    message: { jsonrpc: "2.0", id: 1, method: "tools/call", params: {} },
    isActive: true,
  };
  const html = viewOf(`
    for (const secret of [undefined, "", "0".repeat(32), null, {}]) {
      window.ReactNativeWebView.postMessage(JSON.stringify({ secret, ...${JSON.stringify(forged)} }));
    }
    for (const text of ["", "null", "[", "7"]) window.ReactNativeWebView.postMessage(text);
    send({ method: "test/real" });`);
  const { view, posted } = await openApp(html);
  const received: unknown[] = [];
  const channel = await view.channel;
  channel.onmessage = (message) => received.push(message);
  channel.start?.();
  await expect.poll(() => received).toEqual([{ jsonrpc: "2.0", method: "test/real" }]);
  // It did reach the app's function.
  expect(posted.filter((text) => text.includes('"isActive":true'))).not.toEqual([]);
  // And it can't read the secret.
  const frame = await viewFrame(page);
  const read = await frame.evaluate(() => {
    try {
      return top?.document.documentElement.outerHTML;
    } catch {
      return "blocked";
    }
  });
  expect(read).toBe("blocked");
});

test("a view that can't be loaded rejects with the reason", async () => {
  const { view } = await openApp("x".repeat(6 * 2 ** 20));
  await expect(view.channel).rejects.toMatchObject({ code: "sandbox-refused" });
});

test("the page itself goes nowhere, and frames in it may load", async () => {
  const { view } = await openApp(viewOf(""));
  expect(view.allows({ url: `${origin}/` })).toBe(true);
  expect(view.allows({ url: "about:blank" })).toBe(true);
  expect(view.allows({ url: box.entrance, isTopFrame: false })).toBe(true);
  expect(view.allows({ url: "https://evil.example/" })).toBe(false);
  expect(view.allows({ url: `${origin}.evil.example/`, isTopFrame: true })).toBe(false);
});
