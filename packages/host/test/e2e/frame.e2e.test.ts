import { type HostStage, openHostStage } from "@vitrine/internal/host-stage";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openPartsPage } from "./parts-page.ts";
import { openView, untilReceived, viewFrame, viewOf, WAYS } from "./scene.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: HostStage;
beforeAll(async () => {
  stage = await openHostStage({ policy: { permissions: ["camera"] } });
});
afterAll(() => stage.close());

const TALKER = viewOf(
  `greet(); addEventListener("click", () => send({ method: "test/clicked" }));`,
  "<h1>Here</h1>",
);

/** Stands in for the Sandbox: a page under its origin with a program of the test's. */
async function pretend(page: Page, path: string, script: string): Promise<string> {
  const url = `${stage.sandbox.origins.proxy}${path}`;
  const body = `<!doctype html><script>${script}</script>`;
  await page.route(url, (route) => route.fulfill({ contentType: "text/html", body }));
  return url;
}

/** Opens a frame on a pretended Sandbox; how its channel ends. */
function openOn(page: Page, sandbox: string, wait = 400): Promise<unknown> {
  return page.evaluate(
    async ([sandbox, wait]) => {
      const host = document.createElement("div");
      document.body.append(host);
      const frame = window.parts.openFrame(host.attachShadow({ mode: "closed" }), {
        sandbox,
        resource: { html: "<p>secret</p>", meta: {} },
        identity: { server: "test", resource: "ui://test/view" },
        timeouts: { sandbox: wait },
      });
      window.kept.frame = frame;
      try {
        const channel = await frame.channel;
        const received: unknown[] = [];
        channel.onmessage = (message) => received.push(message);
        channel.start?.();
        await new Promise((resolve) => setTimeout(resolve, 300));
        return received;
      } catch (error) {
        const { code, cause } = error as { code: string; cause: unknown };
        return { code, cause };
      }
    },
    [sandbox, wait] as const,
  );
}

describe.each(WAYS)("a View that comes by way of %s", (way) => {
  test("exchanges messages with the Host through the relay's port", async () => {
    const page = await openPartsPage(stage);
    await openView(page, stage, { way, html: TALKER });
    await untilReceived(page, "ui/notifications/initialized");
    await page.evaluate(() =>
      window.kept.view.channel.send({ jsonrpc: "2.0", method: "test/hello", params: { a: [1] } }),
    );
    const view = await viewFrame(page);
    await expect
      .poll(() => view.evaluate("JSON.stringify(received)"))
      .toBe('[{"jsonrpc":"2.0","method":"test/hello","params":{"a":[1]}}]');
    const facts = await page.evaluate(() => window.kept.view.frame.registered);
    expect(facts).toMatchObject({
      viewId: expect.any(String),
      grant: {},
      egress: [],
      rejected: [],
    });
    expect(facts.htmlHash).toMatch(/^[0-9a-f]{64}$/);
  });

  test("runs in a sandboxed frame inside another origin's relay, out of its siblings' sight (HST-20, HST-21, HST-23)", async () => {
    const page = await openPartsPage(stage);
    await openView(page, stage, { way, html: TALKER });
    await untilReceived(page, "ui/notifications/initialized");
    const outer = await page.evaluate(() => {
      const { element } = window.kept.view.frame;
      const { title, referrerPolicy, allow } = element;
      return { sandbox: element.getAttribute("sandbox"), title, referrerPolicy, allow };
    });
    expect(outer).toEqual({
      sandbox: "allow-scripts allow-same-origin allow-forms",
      title: "A tool",
      referrerPolicy: "origin",
      allow: "",
    });
    const view = await viewFrame(page);
    const relay = view.parentFrame();
    expect(relay?.parentFrame()).toBe(page.mainFrame());
    expect(await page.evaluate(() => window.frames.length)).toBe(0);
    expect(await relay?.evaluate(() => window.origin)).not.toBe(stage.hostOrigin);
    expect(await view.evaluate(() => window.origin)).not.toBe(stage.hostOrigin);
    await expect(view.evaluate(() => String(window.parent.parent.document))).rejects.toThrow();
  });

  test("is held until it is mounted", async () => {
    const page = await openPartsPage(stage);
    await openView(page, stage, { way, html: TALKER, hold: true });
    await page.evaluate(() => window.kept.view.frame.held);
    await page.waitForTimeout(300);
    expect(await page.evaluate(() => window.kept.view.received)).toEqual([]);
    await page.evaluate(() => window.kept.view.frame.mount());
    await untilReceived(page, "ui/notifications/initialized");
  });

  test("is gone at once when the Host closes it, even while it never rests", async () => {
    const page = await openPartsPage(stage);
    const html = viewOf(`greet(); setTimeout(() => { for (;;); }, 100);`);
    await openView(page, stage, { way, html });
    await untilReceived(page, "ui/notifications/initialized");
    await page.waitForTimeout(300);
    await page.evaluate(() => window.kept.view.frame.close());
    expect(await page.evaluate(() => window.kept.view.frame.element.isConnected)).toBe(false);
    await expect.poll(() => page.frames().length).toBe(1);
  });
});

test("the word of the Sandbox tells which messages follow a user's gesture", async () => {
  const page = await openPartsPage(stage);
  await openView(page, stage, { html: TALKER });
  await untilReceived(page, "ui/notifications/initialized");
  expect(await page.evaluate(() => window.kept.view.frame.isUserActive())).toBe(false);
  const { x, y } = await page.evaluate(() =>
    window.kept.view.frame.element.getBoundingClientRect().toJSON(),
  );
  await page.mouse.click(x + 20, y + 20);
  await untilReceived(page, "test/clicked");
  expect(await page.evaluate(() => window.kept.view.active)).toEqual([false, false, true]);
  expect(await page.evaluate(() => window.kept.view.channel.userActive)).toBe(false);
  expect(await page.evaluate(() => window.kept.view.frame.isUserActive())).toBe(true);
});

test("asks the browser for the features that a View wants, for the Sandbox's origin alone", async () => {
  const page = await openPartsPage(stage);
  const permissions = { camera: {}, clipboardWrite: {}, usb: {}, constructor: {} };
  await openView(page, stage, { way: "entrance", html: TALKER, meta: { permissions } });
  const { proxy } = stage.sandbox.origins;
  const allow = await page.evaluate(() => window.kept.view.frame.element.allow);
  expect(allow).toBe(`camera ${proxy}; clipboard-write ${proxy}`);
  await untilReceived(page, "ui/notifications/initialized");
  const view = await viewFrame(page);
  const features = await view.evaluate(() =>
    (
      document as unknown as { featurePolicy: { allowedFeatures(): string[] } }
    ).featurePolicy.allowedFeatures(),
  );
  // Asked for is not granted: the operator of this Sandbox grants the camera.
  expect(features).toEqual(["camera"]);
});

test("sends the document once, and not before the Sandbox is ready for it (HST-24)", async () => {
  const page = await openPartsPage(stage);
  const sandbox = await pretend(
    page,
    "/slow",
    `const got = [];
    let ready = false;
    addEventListener("message", ({ data }) => got.push([ready, data.method, data.params.html]));
    const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const say = () => {
      ready = true;
      const method = "ui/notifications/sandbox-proxy-ready";
      parent.postMessage({ jsonrpc: "2.0", method, params: {} }, "*");
    };
    (async () => {
      await rest(400);
      say();
      await rest(400);
      say();
      await rest(400);
      const { port1, port2 } = new MessageChannel();
      parent.postMessage({ vitrine: "port" }, "*", [port2]);
      port1.postMessage({ seq: 0, act: false, text: JSON.stringify(got) });
    })();`,
  );
  expect(await openOn(page, sandbox, 5000)).toEqual([
    [[true, "ui/notifications/sandbox-resource-ready", "<p>secret</p>"]],
  ]);
});

test("refuses a Sandbox on the Host's own origin before it loads (HST-22)", async () => {
  const page = await openPartsPage(stage);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const end = await openOn(page, `${stage.hostOrigin}/sandbox/`);
  expect(end).toEqual({ code: "sandbox-refused", cause: "same-origin" });
  expect(asked).toEqual([]);
});

describe("a port", () => {
  const HAND_OVER = `
    const handOver = (count, word, target = parent) => {
      const channels = Array.from({ length: count }, () => new MessageChannel());
      target.postMessage({ vitrine: "port" }, "*", channels.map(({ port2 }) => port2));
      for (const { port1 } of channels) port1.postMessage({ seq: 0, act: false, text: JSON.stringify(word) });
    };`;

  test("is taken from a message with exactly one, once", async () => {
    const page = await openPartsPage(stage);
    const script = `${HAND_OVER} handOver(2, "two"); handOver(0, "none"); handOver(1, "first"); handOver(1, "second");`;
    const sandbox = await pretend(page, "/ports", script);
    expect(await openOn(page, sandbox)).toEqual(["first"]);
  });

  test("is not taken from another window of the Sandbox's origin", async () => {
    const page = await openPartsPage(stage);
    const silent = await pretend(page, "/silent", "");
    const forger = await pretend(
      page,
      "/forger",
      `${HAND_OVER} setTimeout(() => handOver(1, "forged"), 200);`,
    );
    const [end] = await Promise.all([
      openOn(page, silent, 800),
      page.evaluate((src) => {
        document.body.append(Object.assign(document.createElement("iframe"), { src }));
      }, forger),
    ]);
    expect(end).toMatchObject({ code: "sandbox-timeout" });
  });

  test("is not taken from another origin that has come into the frame", async () => {
    const page = await openPartsPage(stage);
    const other = `${stage.hostOrigin}/other-origin`;
    await page.route(other, (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<script>${HAND_OVER} handOver(1, "forged");</script>`,
      }),
    );
    const sandbox = await pretend(page, "/hop", `location = ${JSON.stringify(other)};`);
    expect(await openOn(page, sandbox, 800)).toMatchObject({ code: "sandbox-timeout" });
    expect(page.frames().some((frame) => frame.url() === other)).toBe(true);
  });

  test("lets nobody else's message be read, not even for its data", async () => {
    const page = await openPartsPage(stage);
    await openView(page, stage, { html: TALKER });
    const isRead = await page.evaluate((origin) => {
      let isRead = false;
      // First with another window as the source, then with the right source after the port was taken.
      for (const source of [window, window.kept.view.frame.element.contentWindow]) {
        const event = new MessageEvent("message", { source, origin });
        Object.defineProperty(event, "data", { get: () => (isRead = true) });
        dispatchEvent(event);
      }
      return isRead;
    }, stage.sandbox.origins.proxy);
    expect(isRead).toBe(false);
  });
});

describe("a frame that fails to open", () => {
  test("reports that the Sandbox did not answer in time", async () => {
    const page = await openPartsPage(stage);
    await page.route(`${stage.sandbox.origins.proxy}/never`, () => {});
    const end = await openOn(page, `${stage.sandbox.origins.proxy}/never`);
    expect(end).toEqual({ code: "sandbox-timeout", cause: stage.sandbox.origins.proxy });
  });

  test("reports a page that isn't the Sandbox's before the timeout", async () => {
    const page = await openPartsPage(stage);
    const sandbox = await pretend(page, "/other", "");
    const end = await openOn(page, sandbox, 10_000);
    expect(end).toEqual({ code: "host-refused", cause: stage.sandbox.origins.proxy });
  });

  test("hands on why the Sandbox refused the document", async () => {
    const page = await openPartsPage(stage);
    const end = await page.evaluate(async (sandbox) => {
      const frame = window.parts.openFrame(document.body, {
        sandbox,
        resource: { html: "x".repeat(6 * 2 ** 20), meta: {} },
        identity: { server: "test", resource: "ui://test/large" },
      });
      return frame.channel.catch(({ code, cause }) => ({ code, cause }));
    }, stage.entrance);
    expect(end).toEqual({ code: "sandbox-refused", cause: expect.stringMatching(/\w/) });
  });

  test("hands on why the Host's server could not register it", async () => {
    const page = await openPartsPage(stage);
    const end = await page.evaluate(async () => {
      const frame = window.parts.openFrame(document.body, {
        sandbox: { register: () => Promise.reject(new Error("no store")) },
        resource: { html: "", meta: {} },
        identity: { server: "test", resource: "ui://test/view" },
      });
      return frame.registered.catch(({ code, cause }) => `${code}: ${cause.message}`);
    });
    expect(end).toBe("sandbox-refused: no store");
  });

  test("ends its promises when it is closed before, and loads nothing afterwards", async () => {
    const page = await openPartsPage(stage);
    const end = await page.evaluate(async () => {
      const frame = window.parts.openFrame(document.body, {
        sandbox: { register: (view) => window.parts.registerView(view) },
        resource: { html: "", meta: {} },
        identity: { server: "test", resource: "ui://test/view" },
      });
      frame.close();
      frame.close();
      const code = await frame.channel.catch((error) => error.code);
      await new Promise((resolve) => setTimeout(resolve, 500));
      return { code, isConnected: frame.element.isConnected };
    });
    expect(end).toEqual({ code: "closed", isConnected: false });
  });
});

describe("a relay that is gone", () => {
  test("closes the channel, and what comes into its frame afterwards is not received", async () => {
    const page = await openPartsPage(stage);
    await openView(page, stage, { html: TALKER });
    await untilReceived(page, "ui/notifications/initialized");
    const count = await page.evaluate(() => window.kept.view.received.length);
    const relay = (await viewFrame(page)).parentFrame();
    // After a reload, the relay hands over another port.
    await relay?.evaluate(() => location.reload());
    await page.waitForFunction(() => window.kept.view.received.includes("closed"));
    await page.waitForTimeout(500);
    expect(await page.evaluate(() => window.kept.view.events.at(-1))).toEqual({ gone: true });
    expect(await page.evaluate(() => window.kept.view.received.length)).toBe(count + 1);
  });

  test("does not answer when its process has died", async () => {
    const page = await openPartsPage(stage);
    await openView(page, stage, { html: TALKER });
    await untilReceived(page, "ui/notifications/initialized");
    const told = new Promise<string>((resolve) => {
      page.on("request", (request) => request.url().includes("/answer") && resolve(request.url()));
    });
    // By the network, because the driver gives up a page of which a part has crashed.
    await page.evaluate(() => {
      const ask = () => window.kept.view.frame.isUserActive();
      setTimeout(async () => fetch(`/answer?${await ask()}`), 2000);
    });
    const relay = (await viewFrame(page)).parentFrame();
    if (!relay) throw new Error("The View has no relay.");
    const session = await stage.context.newCDPSession(relay);
    session.send("Page.crash").catch(() => {});
    expect(await told).toBe(`${stage.hostOrigin}/answer?undefined`);
  });
});
