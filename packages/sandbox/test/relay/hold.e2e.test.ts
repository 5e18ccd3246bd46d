import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Defence } from "../../src/relay/defence.ts";
import { openScene, type Plot, type Scene, viewOf } from "./scene.ts";
import { openStage, type Stage } from "./stage.ts";
import { allow } from "./weakness.ts";

vi.setConfig({ testTimeout: 20_000, hookTimeout: 30_000 });

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());
beforeEach(() => {
  stage.sandboxRequests.length = 0;
  stage.outsiderRequests.length = 0;
});

const MOUNT = { mount: true };

/** The requests to the Sandbox, by kind. */
const asked = (): string[] =>
  stage.sandboxRequests.map((line) => line.replace(/\/[a-z2-7]{32}$/, ""));

/** Events and messages that came over the port. */
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
  while (!received.some(({ method }) => method === "test/last")) await rest(10);
  send({ method: "test/received", params: { received } });
`);

describe.each(["port", "single-origin"] as const)("a held View, in %s mode", (mode) => {
  const prefix = mode === "port" ? "" : "/sandbox";

  test("is there before the Host mounts it, and nothing is asked for when it does", async () => {
    const scene = await openHeld({ mode, html: LISTENER });
    await untilHeld(scene);
    expect(await scene.messages()).toEqual([]);
    expect(asked()).toEqual([`200 ${prefix}/p`, `200 ${prefix}/v`]);
    await scene.tell(MOUNT);
    await scene.until();
    expect(asked()).toEqual([`200 ${prefix}/p`, `200 ${prefix}/v`]);
    expect(scene.page.frames()).toHaveLength(3);
    const held = (await byPort(scene)).filter((data) => "held" in Object(data));
    expect(held).toEqual([{ held: true }]);
  });

  test("receives no message from before it was mounted, and all after", async () => {
    const scene = await openHeld({ mode, html: LISTENER });
    await untilHeld(scene);
    await scene.send({ jsonrpc: "2.0", method: "too/early" }, mode);
    await scene.tell({ text: '{"jsonrpc":"2.0","method":"too/early"}' });
    await scene.tell(MOUNT);
    await scene.until();
    await scene.send({ jsonrpc: "2.0", method: "test/last" }, mode);
    const received = (await scene.until("test/received")).at(-1)?.params?.received;
    expect(received).toEqual([{ jsonrpc: "2.0", method: "test/last" }]);
  });

  test("receives messages sent together with mount, and right after", async () => {
    const scene = await openHeld({ mode, html: LISTENER });
    await untilHeld(scene);
    await scene.page.evaluate(() => {
      window.host.send({ mount: true, msg: { jsonrpc: "2.0", method: "along" } });
      window.host.send({ text: '{"jsonrpc":"2.0","method":"after"}' });
      window.host.send({ msg: { jsonrpc: "2.0", method: "test/last" } });
    });
    const received = (await scene.until("test/received")).at(-1)?.params?.received as {
      method: string;
    }[];
    expect(received.map(({ method }) => method)).toEqual(["along", "after", "test/last"]);
  });

  test("is mounted as soon as it can be by a Host that does not wait", async () => {
    const scene = await openHeld({ mode, html: LISTENER });
    await scene.page.waitForFunction(() =>
      window.host.received.some(({ data }) => "vitrine" in Object(data)),
    );
    await scene.tell(MOUNT);
    await scene.until();
    const events = (await byPort(scene)).map((data) => Object.keys(Object(data))[0]);
    expect(events).toEqual(["registered", "held", "seq"]);
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
    await scene.until("test/received");
    const done = (await scene.messages()).filter(({ method }) => method === "test/done");
    expect(done).toHaveLength(1);
    expect(asked()).toEqual(["200 /p", "200 /v"]);
  });

  test("does nothing to a View that is not held", async () => {
    const scene = await openScene(stage, { mode: "port", html: LISTENER });
    await scene.until();
    await scene.tell(MOUNT);
    await scene.page.waitForTimeout(300);
    await scene.send({ jsonrpc: "2.0", method: "test/last" }, "port");
    await scene.until("test/received");
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
    expect(await scene.messages()).toEqual([]);
    expect(scene.page.frames()).toHaveLength(2);
  });
});

describe("while it is held, a View", () => {
  test("runs nothing and loads nothing", async () => {
    const html = `<!doctype html><link rel="preload" as="image" href="${stage.outsiderOrigin}/early">
      <img src="${stage.outsiderOrigin}/image"><script>top.postMessage("runs", "*")</script>`;
    const policy = allow("view", "img-src", stage.outsiderOrigin);
    const scene = await openHeld({ html, policy, headers: { view: ["connection-allowlist"] } });
    await untilHeld(scene);
    await scene.page.waitForTimeout(300);
    const said = async () => (await scene.received()).filter(({ frame }) => frame === -1);
    expect(await said()).toEqual([]);
    expect(stage.outsiderRequests).toEqual([]);
    // The control: both would have been possible.
    await scene.tell(MOUNT);
    await expect.poll(said, { timeout: 5000 }).toHaveLength(1);
    await expect.poll(() => stage.outsiderRequests, { timeout: 5000 }).toContain("/image");
  });

  test.each([
    ["its own window", (word: unknown) => postMessage(word, "*")],
    [
      "its relay's window from another origin",
      (data: unknown) => {
        const from = { source: parent, origin: "https://evil.example" };
        dispatchEvent(new MessageEvent("message", { data, ...from }));
      },
    ],
    [
      "another window of its relay's origin",
      (data: unknown) => {
        const from = { source: top, origin: location.ancestorOrigins[0] as string };
        dispatchEvent(new MessageEvent("message", { data, ...from }));
      },
    ],
  ])("is not mounted by %s", async (_what, post) => {
    const scene = await openHeld({ html: LISTENER });
    await untilHeld(scene);
    await scene.view().evaluate(post, { vitrine: "mount" });
    await scene.page.waitForTimeout(300);
    expect(await scene.view().content()).toContain("MessageChannel");
    // The control: that is how the relay does it.
    await scene.view().evaluate(
      (data) => {
        const from = { source: parent, origin: location.ancestorOrigins[0] as string };
        dispatchEvent(new MessageEvent("message", { data, ...from }));
      },
      { vitrine: "mount" },
    );
    await expect.poll(() => scene.view().content()).not.toContain("MessageChannel");
    // And still nothing passes, because the Host has not said so.
    expect(await scene.messages()).toEqual([]);
  });
});

describe("a document in a held View's place that does not wait", () => {
  const call = `{ jsonrpc: "2.0", method: "early/sends", params: { origin: self.origin } }`;
  const SPEAKER = `<script>
    top.postMessage({ early: self.origin }, "*");
    setInterval(() => parent.postMessage(${call}, "*"), 20);
    addEventListener("message", ({ data }) => top.postMessage({ early: data }, "*"));
  </script>`;

  const speaking = async (without?: Defence): Promise<{ scene: Scene; said: unknown[] }> => {
    const bodies = { view: SPEAKER };
    const scene = await openHeld({ html: LISTENER, bodies, ...(without && { without }) });
    await untilHeld(scene);
    await scene.send({ jsonrpc: "2.0", method: "secret" }, "port");
    await scene.page.waitForTimeout(300);
    const said = (await scene.received()).filter(({ frame }) => frame === -1);
    // The control: it ran, on the View's own origin.
    expect(said[0]?.data).toEqual({ early: said[0]?.origin });
    return { scene, said: said.slice(1).map(({ data }) => data) };
  };

  test("sends and receives nothing", async () => {
    const { scene, said } = await speaking();
    expect(said).toEqual([]);
    expect(await scene.messages()).toEqual([]);
  });

  test("would without the hold send and receive as the View", async () => {
    const { scene, said } = await speaking("hold");
    expect(said).toEqual([{ early: { jsonrpc: "2.0", method: "secret" } }]);
    expect((await scene.messages()).map(({ method }) => method)).toContain("early/sends");
  });
});

describe("a View that was held", () => {
  test("cannot be had again: it gets nothing and is mute", async () => {
    const html = viewOf(`
      done();
      setInterval(() => send({ method: "still/here" }), 20);
      await rest(50);
      location.reload();
    `);
    // The View's own allow-list would stop it before.
    const scene = await openHeld({ html, headers: { view: ["connection-allowlist"] } });
    await untilHeld(scene);
    await scene.tell(MOUNT);
    await expect.poll(asked, { timeout: 5000 }).toContain("410 /v");
    await scene.page.waitForTimeout(300);
    const count = (await scene.messages()).length;
    await scene.page.waitForTimeout(500);
    expect(await scene.messages()).toHaveLength(count);
  });

  test("is stopped like any other when it leaves", async () => {
    const html = viewOf(`done(); await rest(50); location = "${stage.outsiderOrigin}/left";`);
    const scene = await openHeld({ html, headers: { view: ["connection-allowlist"] } });
    await untilHeld(scene);
    await scene.tell(MOUNT);
    expect(await scene.killed()).toEqual({ code: "navigation", detail: stage.outsiderOrigin });
  });

  test("has its own listeners and the guard's on its window and its document", async () => {
    const html = `<!doctype html><script>addEventListener("focus", () => {});
      parent.postMessage({ jsonrpc: "2.0", method: "test/done" }, "*")</script>`;
    const scene = await openHeld({ html });
    await untilHeld(scene);
    expect(await listenersOf(scene)).toEqual(["message"]);
    await scene.tell(MOUNT);
    await scene.until();
    const faults = ["error", "unhandledrejection"];
    expect(await listenersOf(scene)).toEqual([
      ...["click", "auxclick", ...faults, "focus"],
      ...["load", "securitypolicyviolation"],
    ]);
  });
});

/** The events that anybody listens to at the View's window and its document. */
async function listenersOf(scene: Scene): Promise<string[]> {
  const session = await stage.context.newCDPSession(scene.view());
  const types: string[] = [];
  for (const expression of ["window", "document"]) {
    const { result } = await session.send("Runtime.evaluate", { expression });
    const { listeners } = await session.send("DOMDebugger.getEventListeners", {
      objectId: result.objectId as string,
    });
    types.push(...listeners.map(({ type }) => type));
  }
  await session.detach();
  return types;
}
