import { afterEach, describe, expect, test, vi } from "vitest";
import { connect, start, turn } from "./raw-view.ts";
import { scriptedUpstream } from "./scripted-upstream.ts";

afterEach(() => vi.useRealTimers());

const call = { name: "look", arguments: {} };

describe("a request before initialized", () => {
  test("is held, not executed, and served when the handshake ends (HST-42)", async () => {
    const upstream = scriptedUpstream();
    const { view } = await connect({ client: upstream });
    const early = view.ask("tools/call", call);
    await view.hello();
    await turn();
    expect(upstream.reached).toEqual([]);
    view.notify("ui/notifications/initialized");
    expect((await early).result).toHaveProperty("content");
    expect(upstream.calls).toHaveLength(1);
  });

  test("is refused when the grace is over, with what is missing", async () => {
    const upstream = scriptedUpstream();
    const { view, said } = await connect({ client: upstream, grace: 200 });
    await view.hello();
    vi.useFakeTimers();
    const early = view.ask("tools/call", call);
    await vi.advanceTimersByTimeAsync(201);
    expect((await early).error).toMatchObject({
      code: -32000,
      message: expect.stringContaining("ui/notifications/initialized"),
    });
    expect(upstream.reached).toEqual([]);
    expect(said("refused")).toHaveLength(1);
  });

  test("that is cancelled before then is never served", async () => {
    const upstream = scriptedUpstream();
    const { view } = await connect({ client: upstream });
    void view.ask("tools/call", call, "x");
    await turn();
    view.notify("notifications/cancelled", { requestId: "x" });
    await view.start();
    await turn();
    expect(upstream.calls).toEqual([]);
  });
});

describe("identities of requests", () => {
  test.each([
    ["an object", {}],
    ["a list", [1]],
    ["true", true],
    ["a fraction", 1.5],
    ["a number beyond 2^53", 2 ** 53],
    ["a long text", "x".repeat(129)],
  ])("%s is rejected as an id (HST-34)", async (_, id) => {
    const upstream = scriptedUpstream();
    const { view, said } = await start({ client: upstream });
    view.send({ jsonrpc: "2.0", id, method: "tools/call", params: call });
    await turn();
    expect(upstream.reached).toEqual([]);
    expect(said("malformed")).toHaveLength(1);
  });

  test("zero is one: official Views begin with it", async () => {
    const { view } = await connect();
    expect((await view.ask("ping", {}, 0)).result).toEqual({});
  });

  test("an id that is being served is not served twice", async () => {
    const upstream = scriptedUpstream({ answer: () => new Promise(() => {}) });
    const { view } = await start({ client: upstream });
    void view.ask("tools/call", call, 1);
    void view.ask("tools/call", call, 1);
    await turn();
    expect(upstream.calls).toHaveLength(1);
  });

  test("an answer to what was never asked goes nowhere", async () => {
    const { view, bridge, diagnostics } = await start({}, { tools: {} });
    view.send({ jsonrpc: "2.0", id: 1, result: { tools: [] } });
    view.send({ jsonrpc: "2.0", id: 999, error: { code: 1, message: "x" } });
    view.notify("notifications/progress", { progressToken: 1, progress: 1 });
    await turn();
    expect(diagnostics).toEqual([]);
    view.answers["tools/list"] = () => ({ tools: [] });
    expect(await bridge.listTools()).toEqual({ tools: [] });
  });
});

describe("how much at once", () => {
  test("64 requests are pending at most", async () => {
    const upstream = scriptedUpstream({ answer: () => new Promise(() => {}) });
    const { view } = await start({ client: upstream });
    for (let n = 0; n < 64; n++) void view.ask("resources/read", { uri: `a://${n}` }, `r${n}`);
    await turn();
    expect(upstream.reached).toHaveLength(64);
    await expect(view.get("ping")).rejects.toMatchObject({ code: -32000 });
    view.notify("notifications/cancelled", { requestId: "r0" });
    await turn();
    expect(await view.get("ping")).toEqual({});
  });

  test("requests before the handshake count, too", async () => {
    const { view } = await connect({ client: scriptedUpstream() });
    for (let n = 0; n < 64; n++) void view.ask("tools/list", {}, `r${n}`);
    await turn();
    await expect(view.get("tools/list")).rejects.toMatchObject({ code: -32000 });
  });

  test("more than fifty malformed messages are abuse, said once (HST-34)", async () => {
    const onAbuse = vi.fn();
    const { view, said } = await start({ onAbuse, client: scriptedUpstream() });
    for (let n = 0; n < 25; n++) await view.ask("tools/call", { name: n });
    for (let n = 0; n < 25; n++) view.notify("ui/notifications/size-changed", { width: "wide" });
    await turn();
    expect(onAbuse).not.toHaveBeenCalled();
    expect(said("malformed")).toHaveLength(50);
    for (let n = 0; n < 30; n++) await view.ask("tools/call", { name: n });
    expect(onAbuse).toHaveBeenCalledTimes(1);
  });

  test("text that isn't JSON counts as malformed", async () => {
    const { view, said } = await start();
    view.send("{ not json");
    await turn();
    expect(said("malformed")).toHaveLength(1);
  });
});

describe("a traffic listener", () => {
  test("sees every message both ways, broken ones too, before anything is done (HST-34)", async () => {
    const seen: [string, unknown][] = [];
    const { view } = await connect({ onTraffic: (from, message) => seen.push([from, message]) });
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    view.send(ping);
    view.send("noise");
    await turn();
    expect(seen).toEqual([
      ["view", ping],
      ["view", "noise"],
      ["host", { jsonrpc: "2.0", id: 1, result: {} }],
    ]);
  });

  test("may throw without harm, and so may listeners for diagnostics or abuse", async () => {
    const fail = (): never => {
      throw new Error("watcher");
    };
    const { view } = await start({ onTraffic: fail, onDiagnostic: fail, onAbuse: fail });
    for (let n = 0; n < 60; n++) view.notify("ui/notifications/size-changed", { width: "wide" });
    expect(await view.get("ping")).toEqual({});
  });
});

describe("an error message", () => {
  test("names the path of a malformed value, never the value", async () => {
    const { view } = await start({ client: scriptedUpstream() });
    await expect(
      view.get("tools/call", { name: "look", arguments: "s3cret".repeat(20) }),
    ).rejects.toMatchObject({
      code: -32602,
      message: "params.arguments: expected an object, received a string of 120 characters",
    });
  });

  test("is short, however long the method", async () => {
    const { view, said } = await start();
    await view.ask("x".repeat(100_000));
    view.notify("y".repeat(100_000));
    await turn();
    for (const detail of said("refused")) expect(detail?.length).toBeLessThan(200);
    expect(said("refused")).toHaveLength(2);
  });
});
