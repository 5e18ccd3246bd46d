import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openScene, type Scene, viewOf } from "./scene.ts";
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
    ["an array of 2³² − 1 holes", `send({ method: "x", params: { a: new Array(2 ** 32 - 1) } });`],
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
      while (heard.length === 0) await rest(5);
      done({ heard });
    `);
    const scene = await openScene(stage, { html });
    const message = "The sandbox did not relay this request: not-json.";
    expect(await scene.outcome()).toEqual({
      heard: [{ jsonrpc: "2.0", id: 5, error: { code: -32600, message } }],
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
  // Twice at most: on a busy machine a page can lose its turn for reasons that are not ours.
  test.for([
    ["a string of 100 MB", `send({ method: "x", params: { a: "x".repeat(100 * 2 ** 20) } });`],
    [
      "a million keys",
      `const params = {}; for (let i = 0; i < 1e6; i += 1) params["k" + i] = i; send({ method: "x", params });`,
    ],
    [
      "six buffers of 50 MB",
      `for (let i = 0; i < 6; i += 1) send({ method: "x", params: { a: new ArrayBuffer(50 * 2 ** 20) } });`,
    ],
  ])("%s does not stop the Host", { retry: 2 }, async ([, code]) => {
    const scene = await openScene(stage, { html: viewOf(`${code} done();`) });
    expect(await scene.until()).toEqual([DONE]);
    expect(await worstPause(scene)).toBeLessThan(PAUSE);
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
