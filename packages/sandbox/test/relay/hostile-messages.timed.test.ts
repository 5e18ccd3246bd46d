import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openScene, type Plot, type Scene, viewOf } from "./scene.ts";
import { openStage, type Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** The longest a Host may be unable to do anything, in milliseconds. */
const PAUSE = 300;

/** How long the Host was busy at a stretch. */
const worstPause = (scene: Scene): Promise<number> =>
  scene.page.evaluate(() => window.host.worstPause);

const DONE = { jsonrpc: "2.0", method: "test/done", params: {} };

describe("what is not JSON", () => {
  const EXOTIC: [string, string][] = [
    ["a cycle", `const params = {}; params.self = params; send({ method: "x", params });`],
    ["a BigInt", `send({ method: "x", params: { a: 1n } });`],
    ["a Map", `send({ method: "x", params: { a: new Map([[1, 2]]) } });`],
    ["a Blob", `send({ method: "x", params: { a: new Blob(["x"]) } });`],
    ["a buffer", `send({ method: "x", params: { a: new ArrayBuffer(8) } });`],
    ["a port", `send({ method: "x" }, [new MessageChannel().port2]);`],
    ["an array", `parent.postMessage([{ jsonrpc: "2.0", method: "x" }], "*");`],
    ["a string", `parent.postMessage('{"jsonrpc":"2.0","method":"x"}', "*");`],
    ["nothing", `parent.postMessage(null, "*");`],
    ["an older JSON-RPC", `send({ jsonrpc: "1.0", method: "x" });`],
    ["a method that is a list", `send({ method: ["x"] });`],
    [
      "65 levels",
      `let params = 0; for (let i = 0; i < 64; i += 1) params = [params]; send({ params });`,
    ],
    ["an array of 200,000 holes", `send({ method: "x", params: { a: new Array(200_000) } });`],
    [
      "a string that escapes to 6 MiB",
      String.raw`send({ params: { a: "\0".repeat(2 ** 20 - 99) } });`,
    ],
    ["2 MiB", `send({ method: "x", params: { a: "x".repeat(2 ** 21) } });`],
    [
      "5 MiB to download",
      `send({ method: "ui/download-file", params: { a: "x".repeat(5 * 2 ** 20) } });`,
    ],
  ];

  test.each(["window", "port"] as const)("goes nowhere, in %s mode", async (mode) => {
    // In blocks, and slowly: this test is about shape, not about pace.
    const script = EXOTIC.map(([, code]) => `{ ${code} } await rest(5);`).join("\n");
    const scene = await openScene(stage, { mode, html: viewOf(`${script} done();`) });
    expect(await scene.until()).toEqual([DONE]);
    expect(await worstPause(scene)).toBeLessThan(PAUSE);
  });

  test("passes where it is just within the limits", async () => {
    const html = viewOf(`
      let params = 0; for (let i = 0; i < 63; i += 1) params = [params];
      send({ method: "deep", params });
      send({ method: "long", params: { a: "x".repeat(2 ** 20 - 99) } });
      send({ method: "ui/download-file", params: { a: "x".repeat(2 ** 22 - 99) } });
      done();
    `);
    const scene = await openScene(stage, { html });
    expect((await scene.until()).map(({ method }) => method)).toEqual([
      "deep",
      "long",
      "ui/download-file",
      "test/done",
    ]);
  });

  test("without the JSON round trip is the Host's to hold", async () => {
    const script = EXOTIC.slice(0, 5)
      .map(([, code]) => `{ ${code} }`)
      .join("\n");
    const html = viewOf(`${script} done();`);
    const scene = await openScene(stage, { html, without: "round-trip" });
    expect(await scene.until()).toEqual([
      { unserializable: "TypeError" },
      { exotic: ["BigInt"] },
      { exotic: ["Map"] },
      { exotic: ["Blob"] },
      { exotic: ["ArrayBuffer"] },
      DONE,
    ]);
  });

  test("is refused to the View's face, and told to the Host, without a request (SBX-13)", async () => {
    const html = viewOf(`
      send({ id: 5, method: "tools/call", params: { a: new Map() } });
      while (received.length === 0) await rest(5);
      done({ received });
    `);
    const scene = await openScene(stage, { html });
    const message = "The sandbox didn't relay this request: not-json.";
    expect(await scene.outcome()).toEqual({
      received: [{ jsonrpc: "2.0", id: 5, error: { code: -32600, message } }],
    });
    const own = (await scene.received()).map(({ data }) => data as Record<string, unknown>);
    expect(own.some((line) => "id" in line)).toBe(false);
    expect(own).toContainEqual({
      jsonrpc: "2.0",
      method: "notifications/message",
      params: { level: "warning", logger: "sandbox", data: { code: "not-json", count: 1 } },
    });
  });

  test("leaves out own __proto__ keys, which a merge would take for a prototype", async () => {
    const html = viewOf(`
      send(JSON.parse('{"method":"x","params":{"__proto__":{"admin":true},"a":1}}'));
      done();
    `);
    const scene = await openScene(stage, { html });
    const keys = (await scene.until())[0]?.params ?? {};
    expect(Object.keys(keys)).toEqual(["a"]);
  });
});

describe("what is too much", () => {
  // The View waits for a word, so that what the Host pauses for mounting it is not counted.
  const strain = async (attack: string, plot: Partial<Plot> = {}): Promise<Scene> => {
    const html = viewOf(`done(); while (received.length === 0) await rest(10); ${attack}`);
    const scene = await openScene(stage, { mode: "port", html, ...plot });
    await scene.until();
    await takeBeat(scene, 0);
    quiet = await takeBeat(scene, 1000);
    await scene.send({ jsonrpc: "2.0", method: "go" }, plot.mode ?? "port");
    return scene;
  };
  let quiet = 0;
  /** How late the Host's timer is at most, for so long. */
  const takeBeat = async ({ page }: Scene, time: number): Promise<number> => {
    await page.waitForTimeout(time);
    return page.evaluate(() => {
      const { worstBeat } = window.host;
      window.host.worstBeat = 0;
      return worstBeat;
    });
  };

  const OVERSIZE: [string, string, string][] = [
    ["a string of 100 MB", `send({ method: "x", params: { a: "x".repeat(1e8) } });`, "8 MB"],
    [
      "twenty buffers of 50 MB",
      `for (let i = 0; i < 20; i += 1) send({ method: "x", params: { a: new ArrayBuffer(5e7) } });`,
      "8 MB",
    ],
    [
      "a million keys",
      `const params = {}; for (let i = 0; i < 1e6; i += 1) params["k" + i] = i; send({ method: "x", params });`,
      "800000 values",
    ],
    ["4 billion holes", `send({ method: "x", params: new Array(2 ** 32 - 1) });`, "800000 values"],
    [
      "a buffer together with a port",
      `send({ a: new ArrayBuffer(1e7) }, [new MessageChannel().port1]);`,
      "8 MB",
    ],
    ["text that isn't a message", `parent.postMessage("x".repeat(1e7), "*");`, "8 MB"],
  ];

  // Twice more: on a busy machine a page can lose its turn for reasons that are not ours.
  test.for(OVERSIZE)(
    "%s stops the View with a reason and pauses the Host less than 300 ms",
    { retry: 2, timeout: 60_000 },
    async ([, attack, amount]) => {
      const scene = await strain(attack);
      const detail = `a message of more than ${amount}`;
      // A million keys are seconds of work for View and relay, on a busy machine many.
      expect(await scene.killed(45_000)).toEqual({ code: "oversize", detail });
      // What it paused before is the machine's other work.
      expect((await takeBeat(scene, 500)) - quiet).toBeLessThan(PAUSE);
      expect(await worstPause(scene)).toBeLessThan(PAUSE);
      expect((await scene.messages()).map(({ method }) => method)).toEqual(["test/done"]);
      const notice = scene.proxy().getByRole("alert");
      expect(await notice.textContent()).toContain(`It sent ${detail}.`);
      expect(scene.page.frames()).toHaveLength(2);
    },
  );

  test("a Host without a port gets it in its log", async () => {
    const [, attack = ""] = OVERSIZE[0] ?? [];
    const scene = await strain(attack, { mode: "window" });
    const detail = "a message of more than 8 MB";
    expect(await scene.killed()).toEqual({ code: "oversize", detail });
  });

  test("without the scales such a View goes on", async () => {
    const attack = OVERSIZE.slice(0, 1).map(([, code]) => code);
    const scene = await strain(`${attack} await rest(500); send({ method: "still/here" });`, {
      without: "oversize",
    });
    await scene.until("still/here");
    const events = (await scene.received()).map(({ data }) => data);
    expect(events).toContainEqual({ dropped: { code: "too-large", count: 1 } });
    expect(events.filter((item) => "killed" in Object(item))).toEqual([]);
  });

  test("an honest View that once sends 1.2 MB is answered and goes on", async () => {
    const scene = await strain(`
      send({ id: 1, method: "tools/call", params: { text: "x".repeat(1.2e6) } });
      while (received.length < 2) await rest(10);
      send({ method: "still/here", params: received[1] });
    `);
    const message = "The sandbox didn't relay this request: too-large.";
    expect((await scene.until("still/here")).at(-1)?.params).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32600, message },
    });
  });

  test("a View that keeps sending 1.2 MB is stopped at the twenty-first", async () => {
    const scene = await strain(`
      const params = { text: "x".repeat(1.2e6) };
      for (let i = 0; i < 30; i += 1) { send({ method: "x", params }); await rest(120); }
    `);
    const detail = "more than 20 messages that cannot be relayed";
    expect(await scene.killed()).toEqual({ code: "oversize", detail });
  });

  test("what is too large arrives whole without the size cap, and stops the Host", async () => {
    const keys = `for (let i = 0; i < 3e5; i += 1) params["k" + i] = i;`;
    const html = viewOf(`const params = {}; ${keys} send({ method: "x", params }); done();`);
    const guarded = await openScene(stage, { html });
    await guarded.until();
    const scene = await openScene(stage, { html, without: "size" });
    expect((await scene.until())[0]).toEqual({ method: "x", size: expect.any(Number) });
    // Tasks below 50 ms are not counted, which is what the guarded Host has.
    const pause = 2 * Math.max(await worstPause(guarded), 50);
    await expect.poll(() => worstPause(scene), { timeout: 5000 }).toBeGreaterThan(pause);
  });

  const BURST = viewOf(
    `for (let i = 0; i < 2000; i += 1) send({ method: "x" }); await rest(500); done();`,
  );

  test("a burst is cut to 200 and what drips in after it, and forgiven", { retry: 2 }, async () => {
    const scene = await openScene(stage, { html: BURST });
    const count = (await scene.until()).length;
    expect(count).toBeGreaterThanOrEqual(200);
    expect(count).toBeLessThan(500);
    expect(await worstPause(scene)).toBeLessThan(PAUSE);
  });

  test("a burst arrives whole without the rate limit", async () => {
    const scene = await openScene(stage, { html: BURST, without: "rate" });
    expect((await scene.until()).length).toBe(2001);
  });

  test("a flood ends the View", async () => {
    const flood = `setInterval(() => { for (let i = 0; i < 200; i += 1) send({ method: "x" }); }, 20);`;
    const scene = await openScene(stage, { html: viewOf(flood) });
    expect(await scene.killed()).toEqual({ code: "flood", detail: "" });
    expect((await scene.messages()).length).toBeLessThan(1200);
    expect(await scene.proxy().locator("body").textContent()).toContain("too many messages");
    const own = (await scene.received()).filter(({ data }) => "id" in Object(data));
    expect(own).toEqual([]);
  });
});
