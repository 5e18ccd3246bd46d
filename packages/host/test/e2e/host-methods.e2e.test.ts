// What a product adds for its views: methods of its own, and its fonts.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Frame, Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type {} from "./pages/hosted.ts";
import { viewFrame } from "./scene.ts";
import { sdkView } from "./sdk-view.ts";

vi.setConfig({ hookTimeout: 60_000 });

const PROGRAM = new URL("./pages/hosted.ts", import.meta.url);
let stage: HostStage;
let page: Page;
let fontServer: Server;
let fonts: string;
const requested: string[] = [];
beforeAll(async () => {
  fontServer = createServer((request, response) => {
    requested.push(request.url ?? "");
    response.writeHead(200, { "access-control-allow-origin": "*" }).end("not a font");
  }).listen(0, "127.0.0.1");
  await once(fontServer, "listening");
  fonts = `http://127.0.0.1:${(fontServer.address() as AddressInfo).port}`;
  stage = await openHostStage({ policy: { dev: true, hostFonts: [fonts] } });
});
afterAll(async () => {
  await stage.close();
  fontServer.close();
});
afterEach(() => page?.close());

async function show(html: string, context = {}): Promise<Frame> {
  page = await openHostPage(stage, { program: PROGRAM });
  await page.waitForFunction(() => "hosted" in window);
  await page.evaluate(
    ({ entrance, html, context }) => {
      const { hosted } = window;
      hosted.open({
        entrance,
        context,
        callsPerMinute: 5,
        methods: {
          "x-acme/open": (params, { view }) => ({ params, view: view.key }),
          "x-acme/nothing": () => undefined,
          "x-acme/fails": () => {
            throw new Error("secret of the host");
          },
        },
      });
      const upstream = hosted.upstream("server", [{ name: "show", html }]);
      hosted.host.mount(hosted.place("one"), hosted.app("one", upstream, "show"));
    },
    { entrance: stage.entrance, html, context },
  );
  await expect
    .poll(() => page.evaluate(() => window.hosted.host.views.get("one")?.stage))
    .toBe("shown");
  return viewFrame(page);
}

/** What a view gets for a request, or the error. */
const request = (view: Frame, method: string, params: object = {}) =>
  view.evaluate(
    async ([method, params]) => {
      const { app } = window as never as { app: { request(request: object): Promise<unknown> } };
      return app.request({ method, params }).catch(({ code, message }) => `${code} ${message}`);
    },
    [method, params] as const,
  );

describe("a method of the host", () => {
  test("is answered with the view that asked, and behind the same limits as others", async () => {
    const view = await show(await sdkView(""));
    expect(await request(view, "x-acme/open", { ticket: 7 })).toEqual({
      params: { ticket: 7 },
      view: "one",
    });
    expect(await request(view, "x-acme/nothing")).toEqual({});
    expect(await request(view, "x-acme/fails")).toBe("-32603 Internal error");
    expect(await request(view, "x-acme/unknown")).toMatch(/^-32601/);
    // Nested too deeply: the host's function doesn't see it.
    const deep = JSON.parse(`${'{"a":'.repeat(70)}1${"}".repeat(70)}`);
    expect(await request(view, "x-acme/open", deep)).toMatch(/^-32/);
    for (let at = 0; at < 5; at++) await request(view, "x-acme/open");
    expect(await request(view, "x-acme/open")).toMatch(/Too many/);
    const codes = await page.evaluate(() => window.hosted.diagnostics.map(({ code }) => code));
    expect(codes).toContain("listener");
  });

  test.each(["tools/call", "ui/message", "open", "acme/open", "x-/open", "x-acme/", "X-acme/open"])(
    "can't be called %s",
    async (name) => {
      page = await openHostPage(stage, { program: PROGRAM });
      await page.waitForFunction(() => "hosted" in window);
      const error = await page.evaluate(
        ([entrance, name]) => {
          try {
            window.hosted.open({ entrance, methods: { [name]: () => {} } });
            return "";
          } catch (error) {
            return `${error}`;
          }
        },
        [stage.entrance, name] as const,
      );
      expect(error).toContain(`"${name}" isn't like "x-product/method"`);
    },
  );
});

test("fonts of the host load in a view from the origin that the operator allows, and from no other", async () => {
  const face = (family: string, url: string) => `@font-face{font-family:${family};src:url(${url})}`;
  const css = {
    fonts: face("Host", `${fonts}/host.woff2`) + face("Other", "https://other.example/x"),
  };
  const script = `app.onhostcontextchanged = () => {};
    setTimeout(() => {
      const style = document.createElement("style");
      style.textContent = app.getHostContext().styles.css.fonts;
      document.head.append(style);
    }, 300);`;
  const body = '<p style="font-family:Host">one</p><p style="font-family:Other">two</p>';
  await show(await sdkView(script, { body }), { styles: { css } });
  await expect.poll(() => requested).toContain("/host.woff2");
  await expect
    .poll(() => page.evaluate(() => window.hosted.diagnostics))
    .toContainEqual(
      expect.objectContaining({ code: "blocked", detail: "font-src: https://other.example" }),
    );
});
