import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Frame, Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type {} from "./pages/hosted.ts";
import { sdkView } from "./sdk-view.ts";

vi.setConfig({ hookTimeout: 60_000 });

const PROGRAM = new URL("./pages/hosted.ts", import.meta.url);
let stage: HostStage;
let page: Page;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage.close());
afterEach(() => page?.close());

async function openPage(options: object = {}): Promise<void> {
  page = await openHostPage(stage, { program: PROGRAM });
  await page.evaluate((options) => window.hosted.open(options), {
    entrance: stage.entrance,
    ...options,
  });
}

/** Shows a View under a key; more of the same key moves it. */
async function mount(key: string, html: string, data: object = {}, place = key): Promise<void> {
  await page.evaluate(
    ({ key, html, data, place }) => {
      const { hosted } = window;
      const upstream = hosted.upstream("server", [{ name: "show", html }]);
      const view = hosted.host.mount(hosted.place(place), hosted.app(key, upstream, "show"));
      view.update(data);
    },
    { key, html, data, place },
  );
}

async function reach(key: string, stageName = "shown"): Promise<void> {
  await page.waitForFunction(
    ([key, stageName]) => window.hosted.host.views.get(key as string)?.stage === stageName,
    [key, stageName],
    { timeout: 20_000 },
  );
}

/** The documents of Views, in the order they came. */
function viewFrames(): Frame[] {
  return page.frames().filter((frame) => frame.url().includes("/v/"));
}

async function shown(name: string, frame = viewFrames()[0]): Promise<unknown> {
  const text = await frame?.waitForFunction((name) => document.body?.dataset[name], name);
  return JSON.parse(String(await text?.jsonValue()));
}

const RESULT = { content: [{ type: "text" as const, text: "the answer" }] };

describe.each(["entrance", "register"])("a View that comes by %s", (way) => {
  test("is shown, told its input and result, and calls a tool of its Server (HST-43, HST-47)", async () => {
    await openPage({ way });
    const html = await sdkView("", {
      body: `<button onclick="app.callServerTool({name:'show',arguments:{a:1}}).then((r) => show('called', r.content))">call</button>`,
    });
    await mount(
      "one",
      html
        .replace("const app", "const app = window.app")
        .replace("const show", "const show = window.show"),
      { input: { city: "Paris" }, result: RESULT },
    );
    await reach("one");
    expect(await shown("input")).toEqual({ city: "Paris" });
    expect(await shown("result")).toEqual(RESULT.content);
    await viewFrames()[0]?.click("button");
    expect(await shown("called")).toEqual([{ type: "text", text: "called show" }]);
    expect(await page.evaluate(() => window.hosted.calls)).toEqual([
      expect.objectContaining({ name: "show", arguments: { a: 1 } }),
    ]);
    expect([...(await codes()), ...(await codes("warning"))]).toEqual([]);
  });
});

/** What a person sees in a View's place, through the closed shadow root. */
async function words(key: string): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const { root } = await session.send("DOM.getDocument", { depth: -1, pierce: true });
  const texts: string[] = [];
  const visit = (node: typeof root, inside: boolean): void => {
    const within = inside || node.attributes?.includes(key) === true;
    if (within && node.nodeName === "#text") texts.push(node.nodeValue);
    for (const child of [...(node.children ?? []), ...(node.shadowRoots ?? [])]) {
      visit(child, within);
    }
  };
  visit(root, false);
  return texts.join(" ");
}

function codes(level = "error"): Promise<string[]> {
  return page.evaluate(
    (level) =>
      window.hosted.diagnostics.filter((found) => found.level === level).map(({ code }) => code),
    level,
  );
}

async function untilCode(code: string): Promise<void> {
  await page.waitForFunction(
    (code) => window.hosted.diagnostics.some((found) => found.code === code),
    code,
    { timeout: 20_000 },
  );
}

describe("a View that cannot be shown", () => {
  test("is replaced by the text of its result, with a diagnostic of what is missing", async () => {
    await openPage();
    await page.evaluate((result) => {
      const { hosted } = window;
      const upstream = hosted.upstream("server", []);
      hosted.host
        .mount(hosted.place("one"), hosted.app("one", upstream, "show"))
        .update({ result });
    }, RESULT);
    await untilCode("resource-failed");
    await vi.waitFor(async () => expect(await words("one")).toContain("the answer"));
  });

  test("any more because its server was removed is replaced, too (O16)", async () => {
    await openPage();
    await page.evaluate(() => {
      const { hosted } = window;
      const own = hosted.upstream;
      hosted.upstream = (server, contents) =>
        Object.assign(own(server, contents), {
          onLost: (listener: (reason: string) => void) => {
            (window as { lose?: typeof listener }).lose = listener;
            return () => {};
          },
        });
    });
    await mount("one", await sdkView(""), { result: RESULT });
    await vi.waitFor(() => expect(viewFrames()).toHaveLength(1), 10_000);
    await page.waitForFunction(() => "lose" in window);
    await page.evaluate(() =>
      (window as { lose?: (reason: string) => void }).lose?.("There is no server of this name."),
    );
    await untilCode("server-lost");
    await vi.waitFor(async () => expect(await words("one")).toContain("the answer"));
    expect(await words("one")).toContain("isn’t responding");
  });

  test("because it never connects is reported after the timeout, and shown if it connects later", async () => {
    await openPage({ times: { document: 300 } });
    await mount(
      "one",
      await sdkView("await new Promise((resolve) => { window.wake = resolve; });"),
      { result: RESULT },
    );
    await untilCode("document-timeout");
    await vi.waitFor(async () => expect(await words("one")).toContain("the answer"));
    await vi.waitFor(() => expect(viewFrames()).toHaveLength(1), 10_000);
    await viewFrames()[0]?.waitForFunction(() => "wake" in window, undefined, { polling: 100 });
    await viewFrames()[0]?.evaluate(() => (window as never as { wake(): void }).wake());
    await reach("one");
    expect(await shown("result")).toEqual(RESULT.content);
  });

  test("because its handshake never ends is reported", async () => {
    await openPage({ times: { initialize: 300 } });
    const hello = { protocolVersion: "2026-01-26", appInfo: { name: "a", version: "1" } };
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "ui/initialize",
      params: { ...hello, appCapabilities: {} },
    };
    await mount("one", `<script>parent.postMessage(${JSON.stringify(message)}, "*")</script>`);
    await untilCode("initialized-timeout");
  });

  test("because the page's policy doesn't allow its Sandbox is reported at once", async () => {
    await openPage({ entrance: "http://proxy.localhost:9/" });
    await mount("one", "<p>hello");
    await page.waitForFunction(() => window.hosted.diagnostics.length > 0);
    expect((await codes())[0]).toBe("frame-blocked");
  });

  test("because the Sandbox stopped it is reported, and can be loaded again", async () => {
    await openPage();
    await mount(
      "one",
      await sdkView("window.leave = () => { location.href = 'https://evil.example/'; };"),
    );
    await reach("one");
    await viewFrames()[0]
      ?.evaluate(() => (window as never as { leave(): void }).leave())
      .catch(() => {});
    await untilCode("killed");
    await page.evaluate(() => window.hosted.host.views.get("one")?.reload());
    await reach("one");
  });

  test("in a browser that is not strict is refused where the operator asks for it", async () => {
    await openPage({ egress: "strict", entrance: "http://proxy.localhost:9/" });
    await mount("one", "<p>hello");
    await untilCode("egress-partial");
    expect(viewFrames()).toHaveLength(0);
  });
});

describe("a View in the page", () => {
  test("keeps a half-filled form through inline, fullscreen and pip (HST-58, HST-62)", async () => {
    await openPage();
    await mount("one", await sdkView("", { body: "<input>" }), { input: {} });
    await reach("one");
    const [view] = viewFrames();
    await view?.fill("input", "half");
    for (const mode of ["fullscreen", "pip", "inline"] as const) {
      const set = await page.evaluate(
        (mode) => window.hosted.host.views.get("one")?.setDisplayMode(mode),
        mode,
      );
      expect(set).toBe(mode);
      await vi.waitFor(async () =>
        expect(await shown("context", view)).toMatchObject({ displayMode: mode }),
      );
      expect(await view?.inputValue("input")).toBe("half");
    }
    expect(viewFrames()).toEqual([view]);
  });

  test("lives on when the framework gives it another place", async () => {
    await openPage();
    const html = await sdkView("", { body: "<input>" });
    await mount("one", html, { input: {} }, "first");
    await reach("one");
    const [view] = viewFrames();
    await view?.fill("input", "half");
    await page.evaluate(() => {
      const first = document.getElementById("first") as HTMLElement;
      window.hosted.host.views.get("one")?.detach(first);
      first.remove();
    });
    await mount("one", html, {}, "second");
    expect(await view?.inputValue("input")).toBe("half");
    expect(await page.evaluate(() => document.getElementById("second")?.childElementCount)).toBe(1);
  });

  test("that was torn out of the page comes back with its data and its state", async () => {
    await openPage();
    const html = await sdkView("window.write = (value) => app.state.set(value);");
    await mount("one", html, { input: { a: 1 }, result: RESULT }, "first");
    await reach("one");
    await viewFrames()[0]?.evaluate(() =>
      (window as never as { write(value: unknown): void }).write({ page: 3 }),
    );
    await page.waitForTimeout(200);
    await page.evaluate(() => {
      const first = document.getElementById("first") as HTMLElement;
      first.remove();
      window.hosted.host.views.get("one")?.detach(first);
    });
    await mount("one", html, {}, "second");
    await reach("one");
    expect(await shown("result")).toEqual(RESULT.content);
    expect(
      await viewFrames()[0]?.evaluate(() =>
        (window as never as { app: { state: { get(): unknown } } }).app.state.get(),
      ),
    ).toEqual({ page: 3 });
  });

  test("that was prepared is shown in the frame that waited for it", async () => {
    await openPage();
    const html = await sdkView("");
    const held = await page.evaluate(async (html) => {
      const { hosted } = window;
      const upstream = hosted.upstream("server", [{ name: "show", html }]);
      const app = hosted.app("one", upstream, "show");
      await hosted.host.prepare(app);
      Object.assign(window, { app });
      return performance.getEntriesByType("resource").length >= 0;
    }, html);
    expect(held).toBe(true);
    const relays = (): Frame[] => page.frames().filter((frame) => frame.url().includes("/p/"));
    const [relay] = relays();
    // Its document is there, and nothing of it has run.
    expect(await viewFrames()[0]?.evaluate(() => "app" in window)).toBe(false);
    await page.evaluate((result) => {
      const { hosted, app } = window as never as Window & { app: never };
      hosted.host.mount(hosted.place("one"), app).update({ input: {}, result });
    }, RESULT);
    await reach("one");
    expect(await shown("result")).toEqual(RESULT.content);
    expect(relays()).toEqual([relay]);
  });

  test("off screen makes room for others, and comes back when it is scrolled to", async () => {
    await openPage({ liveViews: 2 });
    const html = await sdkView("");
    for (const [live, key] of ["one", "two", "three"].entries()) {
      await page.evaluate((key) => {
        const place = window.hosted.place(key);
        place.style.minHeight = "1500px";
      }, key);
      await mount(key, html, { input: {}, result: RESULT });
      // A view that is off screen starts when the user scrolls to it.
      await page.waitForTimeout(150);
      if (live > 0) expect(viewFrames()).toHaveLength(live);
      await page.evaluate((key) => document.getElementById(key)?.scrollIntoView(), key);
      await reach(key);
    }
    await vi.waitFor(() => expect(viewFrames()).toHaveLength(2));
    await page.evaluate(() => window.scrollTo(0, 0));
    await reach("one");
    await vi.waitFor(() => expect(viewFrames()).toHaveLength(2));
  });
});

describe("an idle page", () => {
  const hiddenFrames = (): Promise<number> => page.locator("iframe[hidden]").count();

  test("loads an empty frame of the sandbox, which makes way for the first View", async () => {
    await openPage();
    await expect.poll(hiddenFrames, { timeout: 10_000 }).toBe(1);
    await mount("one", await sdkView(""), { input: {}, result: RESULT });
    await reach("one");
    expect(await hiddenFrames()).toBe(0);
  });

  test("loads nothing if the product doesn't want it to", async () => {
    await openPage({ warmUp: false });
    await page.waitForTimeout(1000);
    expect(await hiddenFrames()).toBe(0);
  });
});

test("five Views come back after a reload of the page, with state and result", async () => {
  await openPage();
  const html = await sdkView("window.write = (value) => app.state.set(value);");
  const keys = ["a", "b", "c", "d", "e"];
  const open = async (data: boolean): Promise<void> => {
    await page.evaluate(
      ({ keys, html, data, entrance }) => {
        const { hosted } = window;
        // `webStore()` as a product has it; its methods cannot come through `evaluate`.
        const store = {
          get: (key: string) => JSON.parse(sessionStorage.getItem(key) ?? "null"),
          set: (key: string, record: unknown) =>
            sessionStorage.setItem(key, JSON.stringify(record)),
          delete: (key: string) => sessionStorage.removeItem(key),
          keys: () => Object.keys(sessionStorage),
        };
        hosted.open({ entrance, store });
        const upstream = hosted.upstream("server", [{ name: "show", html }]);
        for (const key of keys) {
          const view = hosted.host.mount(hosted.place(key), hosted.app(key, upstream, "show"));
          const result = {
            content: [{ type: "text" as const, text: `result ${key}` }],
            _meta: { k: key },
          };
          if (data) view.update({ input: { key }, result });
        }
      },
      { keys, html, data, entrance: stage.entrance },
    );
    for (const key of keys) await reach(key);
  };
  await open(true);
  for (const frame of viewFrames()) {
    const { key } = (await shown("input", frame)) as { key: string };
    await frame.evaluate(
      (key) => (window as never as { write(value: unknown): void }).write({ of: key }),
      key,
    );
  }
  await page.waitForTimeout(300);
  await page.reload();
  await open(false);
  const back = new Set<string>();
  for (const frame of viewFrames()) {
    const { key } = (await shown("input", frame)) as { key: string };
    expect(await shown("result", frame)).toEqual([{ type: "text", text: `result ${key}` }]);
    const state = await frame.evaluate(() =>
      (window as never as { app: { state: { get(): unknown } } }).app.state.get(),
    );
    expect(state).toEqual({ of: key });
    back.add(key);
  }
  expect([...back].sort()).toEqual(keys);
});
