import { afterEach, describe, expect, test, vi } from "vitest";
import { connect, start, turn } from "./raw-view.ts";
import { scriptedUpstream, tool } from "./scripted-upstream.ts";

afterEach(() => vi.useRealTimers());

const TEARDOWN = "ui/resource-teardown";

describe("teardown", () => {
  test("is sent with its reason, and waits for the response (HST-49, HST-50, HST-51)", async () => {
    const { view, bridge } = await start();
    let isOver = false;
    const over = bridge.teardownResource({ reason: "closed by the user" }).then((answer) => {
      isOver = true;
      return answer;
    });
    await turn();
    expect(view.all(TEARDOWN)).toMatchObject([{ params: { reason: "closed by the user" } }]);
    expect(isOver).toBe(false);
    const { id } = view.all(TEARDOWN)[0] ?? {};
    view.send({ jsonrpc: "2.0", id, result: { saved: true } });
    expect(await over).toEqual({ saved: true });
  });

  test("resolves after a second of silence (HST-51)", async () => {
    const { bridge } = await start();
    vi.useFakeTimers();
    let answer: unknown;
    void bridge.teardownResource().then((result) => {
      answer = result;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(answer).toBeUndefined();
    await vi.advanceTimersByTimeAsync(2);
    expect(answer).toEqual({});
  });

  test("waits for the given time", async () => {
    const { bridge } = await start();
    vi.useFakeTimers();
    const over = vi.fn();
    void bridge.teardownResource({}, { timeout: 50 }).then(over);
    await vi.advanceTimersByTimeAsync(51);
    expect(over).toHaveBeenCalledWith({});
  });

  test.each([
    ["no such method", { code: -32601, message: "Method not found" }],
    ["an error", { code: -32603, message: "boom" }],
    ["an error that is none", null],
  ])("resolves on %s (HST-51)", async (_, error) => {
    const { view, bridge } = await start();
    const over = bridge.teardownResource();
    await turn();
    view.send({ jsonrpc: "2.0", id: view.all(TEARDOWN)[0]?.id, error });
    expect(await over).toEqual({});
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["a number", 7],
    ["text", "bye"],
  ])("resolves when the answer is %s", async (_, result) => {
    const { view, bridge } = await start();
    const over = bridge.teardownResource();
    await turn();
    view.send({ jsonrpc: "2.0", id: view.all(TEARDOWN)[0]?.id, result });
    expect(await over).toEqual(expect.any(Object));
  });

  test("resolves for a View that is gone before it or disappears during it (HST-51)", async () => {
    const gone = await start();
    gone.view.hostEnd.close();
    expect(await gone.bridge.teardownResource()).toEqual({});
    const going = await start();
    const over = going.bridge.teardownResource();
    await turn();
    going.view.hostEnd.close();
    expect(await over).toEqual({});
  });

  test("resolves when the channel refuses to send", async () => {
    const { view, bridge } = await start();
    view.hostEnd.send = () => {
      throw new Error("detached");
    };
    expect(await bridge.teardownResource()).toEqual({});
  });

  test("is asked for once; the older name does the same", async () => {
    const { view, bridge } = await start();
    view.answers[TEARDOWN] = () => ({});
    await bridge.sendResourceTeardown({ reason: "a" });
    await bridge.teardownResource({ reason: "b" });
    expect(view.all(TEARDOWN)).toHaveLength(1);
  });

  test("leaves a View time to put things in order, and serves nothing afterwards", async () => {
    const upstream = scriptedUpstream({ tools: [tool("save")] });
    const states: unknown[] = [];
    const { view, bridge } = await start({
      client: upstream,
      consent: () => true,
      prepare: (it) => {
        it.onstate = (value) => states.push(value);
      },
    });
    const over = bridge.teardownResource();
    await turn();
    await view.get("tools/call", { name: "save" });
    view.notify("vitrine/state", { value: 1 });
    view.notify("vitrine/state", { value: 2 });
    view.send({ jsonrpc: "2.0", id: view.all(TEARDOWN)[0]?.id, result: {} });
    await over;
    expect(states).toEqual([1, 2]);
    await expect(view.get("tools/call", { name: "save" })).rejects.toMatchObject({ code: -32000 });
    view.notify("vitrine/state", { value: 3 });
    await turn();
    expect(upstream.calls).toHaveLength(1);
    expect(states).toEqual([1, 2]);
    const before = view.received.length;
    bridge.setHostContext({ theme: "dark" });
    await bridge.sendToolInput({});
    await turn();
    expect(view.received).toHaveLength(before);
  });
});

describe("a View that asks to be closed", () => {
  test("is received, and nothing is sent unless the Host agrees (HST-52)", async () => {
    const { view, bridge } = await start();
    const onrequestteardown = vi.fn();
    bridge.onrequestteardown = onrequestteardown;
    view.notify("ui/notifications/request-teardown");
    await turn();
    expect(onrequestteardown).toHaveBeenCalledTimes(1);
    expect(view.methods).toEqual([]);
  });

  test("goes through the same teardown when the Host agrees, with its answer waited for (HST-53, HST-54)", async () => {
    const { view, bridge } = await start();
    const order: string[] = [];
    view.answers[TEARDOWN] = () => {
      order.push("answered");
      return {};
    };
    const removed = new Promise<void>((resolve) => {
      bridge.onrequestteardown = async () => {
        await bridge.teardownResource({ reason: "as you wished" });
        order.push("removed");
        resolve();
      };
    });
    view.notify("ui/notifications/request-teardown");
    await removed;
    expect(order).toEqual(["answered", "removed"]);
  });

  test("in a loop is received once a second", async () => {
    const { view, bridge } = await start();
    vi.useFakeTimers();
    const onrequestteardown = vi.fn();
    bridge.onrequestteardown = onrequestteardown;
    for (let n = 0; n < 50; n++) view.notify("ui/notifications/request-teardown");
    await turn();
    expect(onrequestteardown).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1001);
    view.notify("ui/notifications/request-teardown");
    await turn();
    expect(onrequestteardown).toHaveBeenCalledTimes(2);
  });
});

describe("what a View reports", () => {
  test("its size reaches the Host clamped, and nonsense does not (HST-56)", async () => {
    const { view, bridge } = await start();
    vi.useFakeTimers();
    const sizes: unknown[] = [];
    bridge.onsizechange = (size) => sizes.push(size);
    const report = async (params: unknown): Promise<void> => {
      view.notify("ui/notifications/size-changed", params);
      await turn();
      vi.advanceTimersByTime(101);
    };
    await report({ width: 300, height: 200 });
    await report({ height: 1e9 });
    await report({ width: -5, height: 40 });
    for (const nonsense of [
      { width: Number.NaN },
      { height: Number.POSITIVE_INFINITY },
      { height: "100" },
      { width: -1 },
      {},
      null,
      [],
    ]) {
      await report(nonsense);
    }
    expect(sizes).toEqual([{ width: 300, height: 200 }, { height: 10_000 }, { height: 40 }]);
  });

  test("ten sizes a second, the newest of them last", async () => {
    const { view, bridge } = await start();
    vi.useFakeTimers();
    const sizes: unknown[] = [];
    bridge.addEventListener("sizechange", ({ height }) => sizes.push(height));
    for (let height = 1; height <= 100; height++) {
      view.notify("ui/notifications/size-changed", { height });
      await turn();
      vi.advanceTimersByTime(10);
    }
    vi.advanceTimersByTime(200);
    expect(sizes.length).toBeLessThanOrEqual(12);
    expect(sizes[0]).toBe(1);
    expect(sizes.at(-1)).toBe(100);
  });

  test("its log reaches the log alone, plain and paced (HST-83)", async () => {
    const onmessage = vi.fn();
    const logged: unknown[] = [];
    const { view } = await start({
      prepare: (bridge) => {
        bridge.onmessage = onmessage;
        bridge.onloggingmessage = (params) => logged.push(params);
      },
    });
    view.notify("notifications/message", { level: "info", data: { a: "\u001b[31mred\u202e" } });
    view.notify("notifications/message", { level: "loud", data: 1 });
    view.notify("notifications/message", { level: "info", data: "x".repeat(9000) });
    for (let n = 0; n < 100; n++) view.notify("notifications/message", { level: "info", data: n });
    await turn();
    expect(logged[0]).toEqual({ level: "info", data: { a: "[31mred" } });
    expect(logged).toHaveLength(20);
    expect(onmessage).not.toHaveBeenCalled();
  });

  test("what nobody listens to is not announced, and refused once", async () => {
    const { view, said } = await start();
    for (let n = 0; n < 5; n++) view.notify("notifications/message", { level: "info", data: n });
    await turn();
    expect(said("refused")).toEqual([expect.stringContaining("hostCapabilities.logging")]);
  });

  test("a listener that throws is reported and stops no other", async () => {
    const { view, bridge, diagnostics } = await start();
    const other = vi.fn();
    bridge.onsizechange = () => {
      throw new Error("layout");
    };
    bridge.addEventListener("sizechange", other);
    view.notify("ui/notifications/size-changed", { height: 1 });
    await turn();
    expect(other).toHaveBeenCalledTimes(1);
    expect(diagnostics).toMatchObject([
      { code: "listener", detail: "sizechange", cause: new Error("layout") },
    ]);
  });

  test("handlers are replaced, listeners added and removed", async () => {
    const { view, bridge } = await start();
    const calls: string[] = [];
    bridge.onsizechange = () => calls.push("first");
    bridge.onsizechange = () => calls.push("second");
    const listener = (): number => calls.push("listener");
    bridge.addEventListener("sizechange", listener);
    view.notify("ui/notifications/size-changed", { height: 1 });
    await turn();
    expect(calls).toEqual(["second", "listener"]);
    expect(bridge.onsizechange).toBeTypeOf("function");
    bridge.onsizechange = undefined;
    bridge.removeEventListener("sizechange", listener);
    await new Promise((resolve) => setTimeout(resolve, 110));
    view.notify("ui/notifications/size-changed", { height: 2 });
    await turn();
    expect(calls).toHaveLength(2);
  });
});

describe("the Sandbox on the same channel", () => {
  test("is received once, before the View, and handed the resource", async () => {
    const { view, bridge } = await connect();
    const onsandboxready = vi.fn(() =>
      bridge.sendSandboxResourceReady({ html: "<!doctype html>", csp: { connectDomains: [] } }),
    );
    bridge.onsandboxready = onsandboxready as never;
    view.notify("ui/notifications/sandbox-proxy-ready", {});
    view.notify("ui/notifications/sandbox-proxy-ready", {});
    await turn();
    expect(onsandboxready).toHaveBeenCalledTimes(1);
    expect(view.methods).toEqual(["ui/notifications/sandbox-resource-ready"]);
  });

  test("is not taken from a View that has introduced itself", async () => {
    const { view, bridge, said } = await start();
    const onsandboxready = vi.fn();
    bridge.onsandboxready = onsandboxready;
    view.notify("ui/notifications/sandbox-proxy-ready", {});
    view.notify("ui/notifications/sandbox-resource-ready", { html: "x" });
    await turn();
    expect(onsandboxready).not.toHaveBeenCalled();
    expect(said("refused")).toHaveLength(2);
  });
});

describe("the View's state", () => {
  test("is kept where the Host offers to, and handed to the next life", async () => {
    const states: unknown[] = [];
    const { view } = await connect({
      state: { page: 2 },
      prepare: (bridge) => {
        bridge.onstate = (value) => states.push(value);
      },
    });
    expect(await view.start()).toMatchObject({
      hostCapabilities: { experimental: { "vitrine/state": {} } },
      hostContext: { "vitrine/state": { page: 2 } },
    });
    view.notify("vitrine/state", { value: { page: 3 } });
    await turn();
    expect(states).toEqual([{ page: 3 }]);
    expect(await view.hello()).toMatchObject({ hostContext: { "vitrine/state": { page: 3 } } });
  });

  test("is not offered, nor taken, where nobody keeps it", async () => {
    const { view } = await connect();
    const hello = await view.start();
    expect(hello.hostCapabilities.experimental).toBeUndefined();
    expect(hello.hostContext).toEqual({});
    view.notify("vitrine/state", { value: 1 });
    await turn();
    expect((await view.hello()).hostContext).toEqual({});
  });

  test("is bounded in size, and the newest arrives whatever the pace", async () => {
    const states: unknown[] = [];
    const { view, said } = await start({
      prepare: (bridge) => {
        bridge.onstate = (value) => states.push(value);
      },
    });
    vi.useFakeTimers();
    view.notify("vitrine/state", { value: "x".repeat(70_000) });
    for (let n = 0; n < 500; n++) view.notify("vitrine/state", { value: n });
    await turn();
    vi.advanceTimersByTime(300);
    expect(states).toEqual([0, 499]);
    expect(said("refused")).toHaveLength(1);
  });
});
