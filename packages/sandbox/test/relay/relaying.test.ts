import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Message, type Mode, openScene, viewOf } from "./scene.ts";
import { openStage, type Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 20_000, hookTimeout: 30_000 });

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const MODES: Mode[] = ["window", "port", "single-origin"];

// What a relay that reads too much would lose: id 0, answers without a method, methods it never
// heard of, errors.
const ODD: Message[] = [
  { id: 0, method: "ui/initialize", params: { protocolVersion: "2099-01-01", appInfo: {} } },
  { id: "a", method: "x-vendor/unknown", params: { deep: [[{ a: null }]], text: "\u2028 é" } },
  { method: "notifications/of-nobody" },
  { id: "host-1", result: {} },
  { id: 7, error: { code: -32601, message: "Method not found" } },
];

const RESERVED: Message[] = [
  { method: "ui/notifications/sandbox-proxy-ready", params: {} },
  {
    method: "ui/notifications/sandbox-resource-ready",
    params: { html: "", sandbox: "allow-modals" },
  },
  { id: 1, method: "ui/notifications/sandbox-anything" },
];

const wire = (messages: Message[]): object[] =>
  messages.map((item) => ({ jsonrpc: "2.0", ...item }));

const SENDER = (messages: Message[]): string =>
  viewOf(`for (const message of ${JSON.stringify(messages)}) send(message); done();`);

const LISTENER = viewOf(`
  done();
  while (!heard.some(({ method }) => method === "test/last")) await rest(10);
  send({ method: "test/heard", params: { heard } });
`);

describe.each(MODES)("in %s mode", (mode) => {
  test("unknown methods, answers and errors reach the Host as they are (SBX-11)", async () => {
    const scene = await openScene(stage, { mode, html: SENDER(ODD) });
    expect((await scene.until()).slice(0, -1)).toEqual(wire(ODD));
  });

  test("unknown methods, answers and errors reach the View as they are (SBX-10)", async () => {
    const scene = await openScene(stage, { mode, html: LISTENER });
    await scene.until();
    const all = wire([...ODD, { method: "test/last" }]);
    for (const message of all) await scene.send(message, mode);
    expect((await scene.until("test/heard")).at(-1)?.params?.heard).toEqual(all);
  });

  test("what is reserved for Sandbox and Host is relayed in neither direction (SBX-12)", async () => {
    const up = await openScene(stage, { mode, html: SENDER(RESERVED) });
    expect(await up.until()).toEqual(wire([{ method: "test/done", params: {} }]));

    const down = await openScene(stage, { mode, html: LISTENER });
    await down.until();
    const all = wire([...RESERVED, { method: "test/last" }]);
    for (const message of all) await down.send(message, mode);
    const heard = (await down.until("test/heard")).at(-1)?.params?.heard;
    expect(heard).toEqual(all.slice(-1));
  });

  test("without the prefix check, a View speaks to the Host as the Sandbox", async () => {
    const scene = await openScene(stage, { mode, html: SENDER(RESERVED), without: "prefix" });
    await scene.until();
    const forged = (await scene.received()).filter(({ data }) =>
      JSON.stringify(data).includes("sandbox-anything"),
    );
    expect(forged).toHaveLength(1);
  });
});

describe("the entrance", () => {
  test("says that it is ready exactly once, and takes one resource (SBX-03)", async () => {
    const html = viewOf(`done({ view: "first" });`);
    const scene = await openScene(stage, { html });
    await scene.until();
    const second = { html: viewOf(`done({ view: "second" });`) };
    const method = "ui/notifications/sandbox-resource-ready";
    await scene.send({ jsonrpc: "2.0", method, params: second });
    await scene.page.waitForTimeout(500);
    expect((await scene.messages()).map(({ params }) => params)).toEqual([{ view: "first" }]);
    const ready = (await scene.received()).filter(({ data }) =>
      JSON.stringify(data).includes("sandbox-proxy-ready"),
    );
    expect(ready).toEqual([
      {
        frame: 0,
        by: "window",
        origin: stage.proxyOrigin,
        ports: 0,
        data: { jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} },
      },
    ]);
  });

  test("says why where the server refuses, to the user and to the Host's log", async () => {
    const scene = await openScene(stage, { html: "x".repeat(6 * 2 ** 20) });
    const { code, detail } = await scene.killed();
    expect(code).toBe("not-registered");
    expect(detail).not.toBe("");
    const notice = scene.proxy().getByRole("alert");
    expect(await notice.textContent()).toContain(`The sandbox refused it: ${detail}`);
  });
});

describe("a port", () => {
  const html = viewOf(`
    send({ id: 1, method: "ui/open-link", params: { url: "https://a.example" } });
    addEventListener("click", () => send({ id: 2, method: "ui/open-link" }));
    done();
  `);

  test("is handed over once, and nothing else comes by window", async () => {
    const scene = await openScene(stage, { mode: "port", html });
    await scene.until();
    const byWindow = (await scene.received()).filter(({ by }) => by === "window");
    expect(byWindow).toEqual([
      { frame: 0, by: "window", origin: stage.proxyOrigin, ports: 1, data: { vitrine: "port" } },
    ]);
  });

  test("makes window messages of the Host's page mute", async () => {
    const scene = await openScene(stage, { mode: "port", html: LISTENER });
    await scene.until();
    await scene.page.evaluate(() => window.host.post({ jsonrpc: "2.0", method: "by/window" }));
    await scene.send({ jsonrpc: "2.0", method: "test/last" }, "port");
    const heard = (await scene.until("test/heard")).at(-1)?.params?.heard;
    expect(heard).toEqual(wire([{ method: "test/last" }]));
  });

  test("numbers messages and marks those that follow a user's click", async () => {
    const scene = await openScene(stage, { mode: "port", html });
    await scene.until();
    await scene.page.mouse.click(100, 100);
    await scene.page.waitForFunction(() => window.host.received.length > 3);
    const envelopes = (await scene.received()).filter(({ by }) => by === "port");
    expect(envelopes.map(({ data }) => data)).toEqual([
      { seq: 0, act: false, msg: expect.objectContaining({ id: 1 }) },
      { seq: 1, act: false, msg: expect.objectContaining({ method: "test/done" }) },
      { seq: 2, act: true, msg: expect.objectContaining({ id: 2 }) },
    ]);
  });

  test("tells a Host that asks whether the user is active in the View", async () => {
    const scene = await openScene(stage, { mode: "port", html });
    await scene.until();
    const ask = () => scene.page.evaluate(() => window.host.send({ activity: true }));
    await ask();
    await scene.page.mouse.click(100, 100);
    await ask();
    await scene.page.waitForFunction(
      () => window.host.received.filter(({ data }) => "activity" in Object(data)).length === 2,
    );
    const answers = (await scene.received()).flatMap(({ data }) =>
      "activity" in Object(data) ? [data] : [],
    );
    expect(answers).toEqual([{ activity: false }, { activity: true }]);
  });

  test("ends the View when the Host closes it", async () => {
    const scene = await openScene(stage, { mode: "port", html });
    await scene.until();
    await scene.page.evaluate(() => window.host.send({ close: true }));
    expect(await scene.killed()).toEqual({ code: "closed", detail: "" });
    await expect.poll(() => scene.page.frames().length, { timeout: 5000 }).toBe(2);
    expect(await scene.proxy().locator("body").textContent()).toContain("The host closed it.");
  });
});
