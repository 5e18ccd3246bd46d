import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Defence } from "../../src/relay/defence.ts";
import { openScene, type Plot, type Scene, viewOf } from "./scene.ts";
import { openStage, type Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 20_000, hookTimeout: 30_000 });

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());
beforeEach(() => {
  stage.sandboxRequests.length = 0;
});

const MOUNT = { mount: true };

/** What was asked of the Sandbox, by kind. */
const asked = (): string[] =>
  stage.sandboxRequests.map((line) => line.replace(/\/[a-z2-7]{32}$/, ""));

/** News and messages that came over the port. */
const byPort = async (scene: Scene): Promise<unknown[]> =>
  (await scene.received()).filter(({ by }) => by === "port").map(({ data }) => data);

const openHeld = (plot: Plot): Promise<Scene> =>
  openScene(stage, { mode: "port", resource: { hold: true }, ...plot });

async function untilHeld(scene: Scene): Promise<void> {
  await scene.page.waitForFunction(
    () => window.host.received.some(({ data }) => "held" in Object(data)),
    null,
    { timeout: 10_000 },
  );
}

const LISTENER = viewOf(`
  done({ entries: history.length });
  while (!heard.some(({ method }) => method === "test/last")) await rest(10);
  send({ method: "test/heard", params: { heard } });
`);

describe.each(["port", "single-origin"] as const)("a held View, in %s mode", (mode) => {
  const prefix = mode === "port" ? "" : "/sandbox";

  test("is not asked for before the Host mounts it; the Host hears when it could", async () => {
    const scene = await openHeld({ mode, html: LISTENER });
    await untilHeld(scene);
    await scene.page.waitForTimeout(500);
    expect(asked()).toEqual([`200 ${prefix}/p`, `200 ${prefix}/w`]);
    expect(scene.page.frames()).toHaveLength(3);
    await scene.tell(MOUNT);
    await scene.until();
    expect(asked()).toEqual([`200 ${prefix}/p`, `200 ${prefix}/w`, `200 ${prefix}/v`]);
    expect(scene.page.frames()).toHaveLength(3);
    const held = (await byPort(scene)).filter((data) => "held" in Object(data));
    expect(held).toEqual([{ held: true }]);
  });

  test("hears nothing of what was sent before it was mounted, and all after", async () => {
    const scene = await openHeld({ mode, html: LISTENER });
    await untilHeld(scene);
    await scene.send({ jsonrpc: "2.0", method: "too/early" }, mode);
    await scene.tell({ text: '{"jsonrpc":"2.0","method":"too/early"}' });
    await scene.tell(MOUNT);
    await scene.until();
    await scene.send({ jsonrpc: "2.0", method: "test/last" }, mode);
    const heard = (await scene.until("test/heard")).at(-1)?.params?.heard;
    expect(heard).toEqual([{ jsonrpc: "2.0", method: "test/last" }]);
  });

  test("is mounted at once by a Host that does not wait", async () => {
    const scene = await openHeld({ mode, html: LISTENER });
    await scene.page.waitForFunction(() =>
      window.host.received.some(({ data }) => "vitrine" in Object(data)),
    );
    await scene.tell(MOUNT);
    await scene.until();
    expect(asked()).toContain(`200 ${prefix}/v`);
  });
});

describe("mounting", () => {
  test("leaves no entry in the history that the View could go back to", async () => {
    const scene = await openHeld({ html: LISTENER });
    await untilHeld(scene);
    const entries = await scene.page.evaluate(() => history.length);
    await scene.tell(MOUNT);
    expect(await scene.outcome()).toEqual({ entries });
  });

  test("twice does nothing", async () => {
    const scene = await openHeld({ html: LISTENER });
    await untilHeld(scene);
    await scene.tell(MOUNT);
    await scene.until();
    await scene.tell(MOUNT);
    await scene.page.waitForTimeout(300);
    await scene.send({ jsonrpc: "2.0", method: "test/last" }, "port");
    await scene.until("test/heard");
    expect(asked()).toEqual(["200 /p", "200 /w", "200 /v"]);
  });

  test("does nothing to a View that is not held", async () => {
    const scene = await openScene(stage, { mode: "port", html: LISTENER });
    await scene.until();
    await scene.tell(MOUNT);
    await scene.page.waitForTimeout(300);
    await scene.send({ jsonrpc: "2.0", method: "test/last" }, "port");
    await scene.until("test/heard");
    expect(asked()).toEqual(["200 /p", "200 /v"]);
    expect((await byPort(scene)).some((data) => "held" in Object(data))).toBe(false);
  });

  test("does nothing after the Host closed it", async () => {
    const scene = await openHeld({ html: LISTENER });
    await untilHeld(scene);
    await scene.tell({ close: true });
    expect(await scene.killed()).toEqual({ code: "closed", detail: "" });
    await scene.tell(MOUNT);
    await scene.page.waitForTimeout(300);
    expect(asked()).toEqual(["200 /p", "200 /w"]);
    expect(scene.page.frames()).toHaveLength(2);
  });
});

describe("what stands in a held View's place", () => {
  const call = `{ jsonrpc: "2.0", method: "warm/speaks", params: { origin: self.origin } }`;
  const SPEAKER = `<script>
    top.postMessage({ warm: self.origin }, "*");
    setInterval(() => parent.postMessage(${call}, "*"), 20);
    addEventListener("message", ({ data }) => top.postMessage({ warm: data }, "*"));
  </script>`;

  test("runs no script", async () => {
    const scene = await openHeld({ html: LISTENER, bodies: { warm: SPEAKER } });
    await untilHeld(scene);
    await scene.page.waitForTimeout(300);
    expect((await scene.received()).filter(({ frame }) => frame === -1)).toEqual([]);
  });

  const speaking = async (without?: Defence): Promise<{ scene: Scene; said: unknown[] }> => {
    const policy = (part: string, text: string): string =>
      part === "warm" ? text.replace("default-src 'none'", "default-src 'unsafe-inline'") : text;
    const bodies = { warm: SPEAKER };
    const scene = await openHeld({ html: LISTENER, bodies, policy, ...(without && { without }) });
    await untilHeld(scene);
    await scene.send({ jsonrpc: "2.0", method: "secret" }, "port");
    await scene.page.waitForTimeout(300);
    const said = (await scene.received()).filter(({ frame }) => frame === -1);
    // The control: it ran, on the View's own origin.
    expect(said[0]?.data).toEqual({ warm: said[0]?.origin });
    return { scene, said: said.slice(1).map(({ data }) => data) };
  };

  test("would neither be heard nor hear anything if it did", async () => {
    const { scene, said } = await speaking();
    expect(said).toEqual([]);
    expect(await scene.messages()).toEqual([]);
  });

  test("would without the hold speak and hear as the View", async () => {
    const { scene, said } = await speaking("hold");
    expect(said).toEqual([{ warm: { jsonrpc: "2.0", method: "secret" } }]);
    expect((await scene.messages()).map(({ method }) => method)).toContain("warm/speaks");
  });

  test("cannot be had again: a View that goes there gets nothing and is mute", async () => {
    const html = viewOf(`
      done();
      while (!heard.some(({ method }) => method === "leave")) await rest(10);
      setInterval(() => send({ method: "still/here" }), 20);
      location = heard.at(-1).params.url;
    `);
    // The View's own allow-list would stop it before.
    const scene = await openHeld({ html, headers: { view: ["connection-allowlist"] } });
    await untilHeld(scene);
    await scene.tell(MOUNT);
    await scene.until();
    const url = stage.sandboxRequests[1]?.replace("200 ", "");
    await scene.send({ jsonrpc: "2.0", method: "leave", params: { url } }, "port");
    await expect.poll(asked, { timeout: 5000 }).toContain("410 /w");
    await scene.page.waitForTimeout(300);
    const count = (await scene.messages()).length;
    await scene.page.waitForTimeout(500);
    expect(await scene.messages()).toHaveLength(count);
  });

  test("does not keep a mounted View from being stopped when it leaves", async () => {
    const html = viewOf(`done(); await rest(50); location = "${stage.strangerOrigin}/left";`);
    const scene = await openHeld({ html, headers: { view: ["connection-allowlist"] } });
    await untilHeld(scene);
    await scene.tell(MOUNT);
    expect(await scene.killed()).toEqual({ code: "navigation", detail: stage.strangerOrigin });
  });
});
