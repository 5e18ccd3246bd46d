import type { Frame, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Defence } from "../../src/relay/defence.ts";
import { RELAY_SCRIPT } from "../../src/relay-script.ts";
import { mutantOf } from "./relay-bundles.ts";
import { openScene, type Plot, viewOf } from "./scene.ts";
import { openStage, type Stage } from "./stage.ts";
import { allow, type Part } from "./weakness.ts";

vi.setConfig({ testTimeout: 20_000, hookTimeout: 30_000 });

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const isOutsider = ({ params }: { params?: Record<string, unknown> }): boolean =>
  params?.name === "outsider";

describe("another window that sends as the View is ignored (SBX-15)", () => {
  // The same app twice on a page: both Views have one origin, and the frames of a plain Host can be
  // counted by anyone. Only the source tells them apart.
  const twins = async (without?: Defence) => {
    const call = `{ jsonrpc: "2.0", id: 666, method: "tools/call", params: { name: "outsider" } }`;
    const html = viewOf(`
      if (top.length > 1) {
        top.frames[0].postMessage(${call}, "*");
        await rest(300);
        done({ twin: top.frames[0].length });
      } else {
        done({ origin: self.origin });
      }
    `);
    const plot: Plot = { html, mode: "port", ...(without && { without }) };
    const scene = await openScene(stage, plot);
    const { origin } = await scene.outcome();
    await scene.embed(plot);
    return { origin, twin: await scene.outcome(1), first: await scene.messages(0), scene };
  };

  test("not a twin with the very same origin", async () => {
    const { twin, first, origin, scene } = await twins();
    const origins = await Promise.all(
      scene.page
        .frames()
        .filter((frame) => frame.url().includes("/v/"))
        .map((frame) => frame.evaluate(() => self.origin)),
    );
    expect(origins).toEqual([origin, origin]);
    expect(first.filter(isOutsider)).toEqual([]);
    // And it cannot find the View itself: a frame in a closed shadow root is not counted.
    expect(twin).toEqual({ twin: 0 });
  });

  test("which without the source check calls tools as the other", async () => {
    const { first } = await twins("source");
    expect(first.filter(isOutsider)).toHaveLength(1);
  });

  const nested = async (without?: Defence) => {
    const html = viewOf(
      `await new Promise((resolve) => { document.querySelector("iframe").onload = resolve; });
       await rest(300); done();`,
      `<iframe src="${stage.outsiderOrigin}/nested"></iframe>`,
    );
    const policy = allow("view", "frame-src", stage.outsiderOrigin);
    const headers = { view: ["connection-allowlist"] };
    return openScene(stage, { html, policy, headers, ...(without && { without }) });
  };

  test("not a third party's frame inside the View", async () => {
    const scene = await nested();
    await scene.until();
    expect((await scene.messages()).filter(isOutsider)).toEqual([]);
    // The control: the frame was there and its messages reached the windows above.
    const direct = (await scene.received()).filter(({ frame }) => frame === -1);
    expect(direct.map(({ origin }) => origin)).toEqual([stage.outsiderOrigin]);
  });

  const opaque = async (without?: Defence) => {
    const call = `parent.parent.postMessage({jsonrpc:'2.0',method:'tools/call',params:{name:'outsider'}},'*')`;
    const html = viewOf(
      `await rest(500); done({ origin: self.origin });`,
      `<iframe sandbox="allow-scripts" srcdoc="<script>${call}</script>"></iframe>`,
    );
    const policy = allow("view", "frame-src", "data:");
    const resource = { sandbox: "allow-scripts" };
    return openScene(stage, { html, policy, resource, ...(without && { without }) });
  };

  test("not a nested frame where both are without an origin", async () => {
    const scene = await opaque();
    expect(await scene.outcome()).toEqual({ origin: "null" });
    expect((await scene.messages()).filter(isOutsider)).toEqual([]);
  });

  test("which without the source check sends as the View", async () => {
    const scene = await opaque("source");
    expect(await scene.outcome()).toEqual({ origin: "null" });
    expect((await scene.messages()).filter(isOutsider)).toHaveLength(1);
  });
});

describe("a page above the Host is ignored (SBX-15)", () => {
  test("neither as the Host nor as the View", async () => {
    const anyone = (_part: Part, text: string): string =>
      text.replace(/frame-ancestors [^;]+/, "frame-ancestors *");
    stage.weaken({ policy: anyone });
    stage.serve("/above", `<iframe src="${stage.hostOrigin}/hand-host"></iframe>`);
    // Makes sure that the Host's program is served.
    await (await stage.openHost("hand-host")).close();
    const page = await stage.context.newPage();
    onTestFinished(async () => {
      stage.weaken({});
      await page.close();
    });
    await page.goto(`${stage.outsiderOrigin}/above`);
    const host = page.frames()[1] as Frame;
    const html = viewOf(`
      done();
      while (!received.some(({ method }) => method === "test/last")) await rest(10);
      send({ method: "test/received", params: { received } });
    `);
    await host.evaluate(
      ([url, html]) => window.host.embed(url, "allow-scripts allow-same-origin", { html }),
      [`${stage.proxyOrigin}/`, html] as const,
    );
    const count = (): Promise<number> => host.evaluate(() => window.host.received.length);
    await expect.poll(count, { timeout: 8000 }).toBe(2);
    await page.evaluate(() => {
      const forged = { jsonrpc: "2.0", method: "tools/call", params: { name: "outsider" } };
      window.frames[0]?.frames[0]?.postMessage(forged, "*");
    });
    await host.evaluate(() => window.host.send({ jsonrpc: "2.0", method: "test/last" }));
    await expect.poll(count, { timeout: 8000 }).toBe(3);
    const last = (await host.evaluate(() => window.host.received)).at(-1);
    const params = { received: [{ jsonrpc: "2.0", method: "test/last" }] };
    expect(last?.data).toEqual({ jsonrpc: "2.0", method: "test/received", params });
  });
});

describe("another origin in the View's own window is ignored (SBX-15)", () => {
  // The relay's frame-src stops this first; it is opened here to look at the second wall.
  const replaced = async (without?: Defence) => {
    const html = viewOf(`done(); await rest(100); location = "${stage.outsiderOrigin}/replaced";`);
    const policy = allow("relay", "frame-src", stage.outsiderOrigin);
    const headers = { view: ["connection-allowlist"] };
    const scene = await openScene(stage, { html, policy, headers, ...(without && { without }) });
    await scene.until();
    await expect.poll(() => stage.outsiderRequests, { timeout: 5000 }).toContain("/replaced");
    await scene.page.waitForTimeout(500);
    stage.outsiderRequests.length = 0;
    return scene;
  };

  test("not a page that took the View's place", async () => {
    const scene = await replaced();
    expect((await scene.messages()).filter(isOutsider)).toEqual([]);
    // The control: it ran and posted to every window.
    expect((await scene.received()).filter(({ frame }) => frame === -1)).toHaveLength(1);
  });

  test("which without the origin check calls tools", async () => {
    const scene = await replaced("origin");
    expect((await scene.messages()).filter(isOutsider)).toHaveLength(1);
  });

  test("nor does that page receive messages for the View", async () => {
    const listening = `<script>onmessage = ({ data }) => top.postMessage({ leaked: data }, "*");</script>`;
    stage.serve("/replaced", listening);
    onTestFinished(() => stage.serve("/replaced", ""));
    const scene = await replaced();
    await scene.send({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: {} });
    await scene.page.waitForTimeout(300);
    expect((await scene.received()).filter(({ frame }) => frame === -1)).toEqual([]);
  });
});

describe("a page that is not the Host (SBX-15)", () => {
  const embedding = async (without?: Defence): Promise<Page> => {
    const policy = (part: Part, text: string): string =>
      part === "view" ? text : text.replace(/frame-ancestors [^;]+/, "frame-ancestors *");
    stage.weaken({ policy, ...(without && { without }) });
    const page = await stage.openHost("hand-host", stage.outsiderOrigin);
    onTestFinished(async () => {
      stage.weaken({});
      await page.close();
    });
    await page.evaluate((url) => {
      window.host.embed(url, "allow-scripts allow-same-origin allow-forms");
      const method = "ui/notifications/sandbox-resource-ready";
      const params = { html: "<p>outsider</p>" };
      setInterval(() => window.host.post({ jsonrpc: "2.0", method, params }), 100);
    }, `${stage.proxyOrigin}/`);
    await page.waitForTimeout(1500);
    return page;
  };

  test("receives nothing and transfers nothing", async () => {
    const page = await embedding();
    expect(await page.evaluate(() => window.host.received)).toEqual([]);
    expect(page.frames().map((frame) => frame.url())).toContain(`${stage.proxyOrigin}/`);
  });

  test("without the origin check brings a View of its own", async () => {
    const page = await embedding("origin");
    expect(page.frames().some((frame) => frame.url().includes("/p/"))).toBe(true);
  });
});

describe("the self-test", () => {
  const settings = () => ({ hosts: [stage.hostOrigin], token: "t" });
  const pageOf = (script: string): string =>
    `<html data-vitrine='${JSON.stringify(settings())}'><body><script>${script}</script>`;

  const embed = async (url: string, outer: string): Promise<Page> => {
    const page = await stage.openHost("hand-host");
    onTestFinished(() => page.close());
    await page.evaluate(([url, outer]) => window.host.embed(url, outer), [url, outer] as const);
    await page.waitForTimeout(500);
    return page;
  };
  const SAME = "allow-scripts allow-same-origin allow-forms";

  test("refuses to run on the Host's own origin, and is silent (SBX-01)", async () => {
    stage.serve("/relay", pageOf(RELAY_SCRIPT));
    const page = await embed(`${stage.hostOrigin}/relay`, SAME);
    expect(await page.evaluate(() => window.host.received)).toEqual([]);
    const text = await page.frames()[1]?.locator("body").textContent();
    expect(text).toContain("It has to be on another origin than the host.");
  });

  test("refuses to run without an origin where it should have one, and is silent (SBX-02)", async () => {
    const page = await embed(`${stage.proxyOrigin}/`, "allow-scripts");
    expect(await page.evaluate(() => window.host.received)).toEqual([]);
    const text = await page.frames()[1]?.locator("body").textContent();
    expect(text).toContain("allow-same-origin");
  });

  test("refuses to run outside a frame", async () => {
    stage.serve("/relay", pageOf(RELAY_SCRIPT));
    const page = await stage.context.newPage();
    onTestFinished(() => page.close());
    await page.goto(`${stage.hostOrigin}/relay`);
    expect(await page.locator("body").textContent()).toContain("opened by itself");
  });

  test("left out, the relay talks to a Host that it can script", async () => {
    stage.serve("/relay", pageOf(await mutantOf("self-test")));
    const page = await embed(`${stage.hostOrigin}/relay`, SAME);
    expect(await page.evaluate(() => window.host.received)).toHaveLength(1);
  });
});

describe("the sandbox flags a Host asks for (SBX-14)", () => {
  // Both server and relay take away what is harmful; the settings are what a server that does not
  // would write.
  const flags = async (plot: Partial<Plot>) => {
    const sandbox = "allow-scripts ALLOW-POPUPS allow-top-navigation allow-modals";
    const html = viewOf(`done({ origin: self.origin });`);
    const resource = { sandbox };
    const scene = await openScene(stage, { html, resource, settings: { sandbox }, ...plot });
    const { origin } = await scene.outcome();
    const frame = await scene.view().frameElement();
    return { origin, flags: await frame.getAttribute("sandbox") };
  };

  test("are honoured as far as they take something away", async () => {
    expect(await flags({})).toEqual({ origin: "null", flags: "allow-scripts" });
  });

  test("would without the list give a View what it never may have", async () => {
    expect((await flags({ without: "sandbox-tokens" })).flags).toContain("allow-top-navigation");
  });
});
