import { afterEach, describe, expect, test, vi } from "vitest";
import { start, turn } from "./raw-view.ts";
import { scriptedUpstream } from "./scripted-upstream.ts";

afterEach(() => vi.useRealTimers());

const call = (name: string, args?: object): object => ({ name, arguments: args });

describe("what a Server sees of a View's call (HST-13)", () => {
  test("S40: is what the user was shown, without task, _meta or fields of no method", async () => {
    const upstream = scriptedUpstream();
    const { view } = await start({ client: upstream });
    await view.get("tools/call", {
      name: "look",
      arguments: { a: 1 },
      admin: true,
      task: { ttl: 99, note: "unseen" },
      _meta: {
        progressToken: 5,
        "io.modelcontextprotocol/clientInfo": { name: "root", version: "1" },
        "dev.mcp/origin": "host",
        "vitrine/app": {},
        "acme/trace": "t1",
      },
    });
    expect(upstream.calls[0]?.params).toEqual({ name: "look", arguments: { a: 1 } });
  });

  test("progress goes to the View under its own token, and not after the answer", async () => {
    const upstream = scriptedUpstream({
      answer: ({ options }) => {
        options.onprogress?.({ progress: 1, total: 2, message: "half" });
        setTimeout(() => options.onprogress?.({ progress: 2 }), 5);
        return { content: [] };
      },
    });
    const { view } = await start({ client: upstream });
    await view.get("tools/call", { name: "look", _meta: { progressToken: "t" } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(view.all("notifications/progress")).toMatchObject([
      { params: { progressToken: "t", progress: 1, total: 2, message: "half" } },
    ]);
  });

  test("who asked for no progress gets none", async () => {
    const upstream = scriptedUpstream({
      answer: ({ options }) => {
        options.onprogress?.({ progress: 1 });
        return { content: [] };
      },
    });
    const { view } = await start({ client: upstream });
    await view.get("tools/call", { name: "look" });
    expect(view.methods).toEqual([]);
  });

  test("a cancelled call is aborted there and answered no more", async () => {
    let signal: AbortSignal | undefined;
    const upstream = scriptedUpstream({
      answer: ({ options }) => {
        signal = options.signal;
        return new Promise(() => {});
      },
    });
    const { view, diagnostics } = await start({ client: upstream });
    void view.ask("tools/call", call("look"), "mine");
    await vi.waitFor(() => expect(signal).toBeDefined());
    view.notify("notifications/cancelled", { requestId: "mine", reason: "enough" });
    await turn();
    expect(signal?.aborted).toBe(true);
    expect(view.received.filter(({ id }) => id === "mine")).toEqual([]);
    expect(diagnostics).toEqual([]);
  });

  test("a call times out after a minute without a response or progress", async () => {
    let progress: (() => void) | undefined;
    const upstream = scriptedUpstream({
      answer: ({ options }) => {
        progress = () => options.onprogress?.({ progress: 1 });
        return new Promise(() => {});
      },
    });
    const { view } = await start({ client: upstream });
    vi.useFakeTimers();
    const answer = view.ask("tools/call", call("look"));
    await vi.advanceTimersByTimeAsync(50_000);
    progress?.();
    await vi.advanceTimersByTimeAsync(50_000);
    expect(view.received.filter(({ error }) => error)).toEqual([]);
    await vi.advanceTimersByTimeAsync(11_000);
    expect((await answer).error).toMatchObject({ code: -32001 });
    expect(upstream.calls[0]?.options.signal?.aborted).toBe(true);
  });

  test("eight calls at once, and a ninth when one has ended", async () => {
    const settle: (() => void)[] = [];
    const upstream = scriptedUpstream({
      answer: () => new Promise((resolve) => settle.push(() => resolve({ content: [] }))),
    });
    const { view } = await start({ client: upstream });
    const calls = Array.from({ length: 8 }, () => view.get("tools/call", call("look")));
    await expect(view.get("tools/call", call("look"))).rejects.toMatchObject({ code: -32000 });
    expect(upstream.calls).toHaveLength(8);
    settle.shift()?.();
    await calls[0];
    const ninth = view.get("tools/call", call("look"));
    await turn();
    for (const end of settle) end();
    await ninth;
  });

  test("sixty calls a minute", async () => {
    const upstream = scriptedUpstream();
    const { view } = await start({ client: upstream });
    vi.useFakeTimers();
    for (let n = 0; n < 60; n++) await view.get("tools/call", call("look"));
    await expect(view.get("tools/call", call("look"))).rejects.toMatchObject({ code: -32000 });
    vi.advanceTimersByTime(60_001);
    await view.get("tools/call", call("look"));
    expect(upstream.calls).toHaveLength(61);
  });

  test("arguments that are too deep or too large do not get in", async () => {
    const upstream = scriptedUpstream();
    const { view } = await start({ client: upstream });
    let deep: object = {};
    for (let n = 0; n < 100; n++) deep = { deep };
    for (const args of [deep, { text: "x".repeat(2 ** 20) }]) {
      await expect(view.get("tools/call", call("look", args))).rejects.toMatchObject({
        code: -32602,
      });
    }
    expect(upstream.calls).toEqual([]);
  });
});

describe("other requests to the Server", () => {
  test("resources and prompts are passed on under their own fields (HST-12)", async () => {
    const upstream = scriptedUpstream({ answer: ({ method }) => ({ [method]: true }) });
    const { view } = await start({ client: upstream });
    const requests = {
      "resources/read": { uri: "ui://weather/map", extra: 1 },
      "resources/list": { cursor: "2" },
      "resources/templates/list": {},
      "prompts/list": {},
    };
    for (const [method, params] of Object.entries(requests)) {
      expect(await view.get(method, params)).toEqual({ [method]: true });
    }
    expect(upstream.reached.map(({ params }) => params)).toEqual([
      { uri: "ui://weather/map" },
      { cursor: "2" },
      {},
      {},
    ]);
  });

  test("rejects methods that neither the Server nor the Host supports", async () => {
    const upstream = scriptedUpstream({ capabilities: {} });
    const { view } = await start({ client: upstream });
    for (const method of [
      "tools/list",
      "resources/list",
      "prompts/list",
      "resources/templates/list",
    ]) {
      await expect(view.get(method)).rejects.toMatchObject({ code: -32601 });
    }
    expect(upstream.reached).toEqual([]);
  });

  test.each([
    "tools/delete",
    "resources/subscribe",
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "ui/log",
    "ui/notifications/size-changed",
    "constructor",
    "__proto__",
    "toString",
  ])("%s is never passed on", async (method) => {
    const upstream = scriptedUpstream();
    const { view, said } = await start({ client: upstream });
    await expect(view.get(method, {})).rejects.toMatchObject({ code: -32601 });
    expect(upstream.reached).toEqual([]);
    expect(said("refused")).toHaveLength(1);
  });

  test("the Host's own handlers come before the Server", async () => {
    const upstream = scriptedUpstream();
    const { view } = await start({
      client: upstream,
      prepare: (bridge) => {
        bridge.onreadresource = ({ uri }) => ({ contents: [{ uri, text: "ours" }] });
        bridge.onlistresources = () => ({ resources: [] });
        bridge.onlistresourcetemplates = () => ({ resourceTemplates: [] });
        bridge.onlistprompts = () => ({ prompts: [] });
      },
    });
    expect(await view.get("resources/read", { uri: "a://b" })).toEqual({
      contents: [{ uri: "a://b", text: "ours" }],
    });
    expect(await view.get("resources/list")).toEqual({ resources: [] });
    expect(await view.get("resources/templates/list")).toEqual({ resourceTemplates: [] });
    expect(await view.get("prompts/list")).toEqual({ prompts: [] });
    expect(upstream.reached).toEqual([]);
  });
});
