import { describe, expect, test, vi } from "vitest";
import { AppBridge } from "../src/bridge/bridge.ts";
import { connect, RawView, start, turn } from "./raw-view.ts";
import { readOnly, scriptedUpstream } from "./scripted-upstream.ts";

const hostContext = {
  theme: "dark",
  locale: "de-CH",
  containerDimensions: { maxHeight: 600 },
} as const;

describe("the handshake", () => {
  test("answers with version, host, capabilities and context (HST-40, HST-41)", async () => {
    const { view } = await connect({ hostContext, client: scriptedUpstream() });
    expect(await view.hello()).toEqual({
      protocolVersion: "2026-01-26",
      hostInfo: { name: "test-host", version: "1.0.0" },
      hostCapabilities: {
        serverTools: { listChanged: true },
        serverResources: { listChanged: true },
      },
      hostContext,
    });
  });

  test("tells the owner who the View is, before and after", async () => {
    const { view, bridge } = await connect({ view: { key: "k", server: "s" } });
    const stages: string[] = [];
    bridge.oninitialize = ({ appInfo }) => stages.push(`initialize ${appInfo.name}`);
    bridge.oninitialized = () => stages.push("initialized");
    expect(bridge.getAppVersion()).toBeUndefined();
    expect(bridge.initialized).toBe(false);
    await view.start({ availableDisplayModes: ["inline", "pip"] });
    expect(stages).toEqual(["initialize raw", "initialized"]);
    expect(bridge.initialized).toBe(true);
    expect(bridge.getAppVersion()).toEqual({ name: "raw", version: "1.0.0" });
    expect(bridge.getAppCapabilities()).toEqual({ availableDisplayModes: ["inline", "pip"] });
    expect(bridge.view).toMatchObject({ key: "k", server: "s", appInfo: { name: "raw" } });
  });

  test("answers an unsupported version with the supported one", async () => {
    const { view } = await connect();
    expect(await view.hello({ protocolVersion: "2031-01-01" })).toMatchObject({
      protocolVersion: "2026-01-26",
    });
  });

  test("may be repeated word for word, as components that mount twice do, and not under another name", async () => {
    const { view, bridge, said } = await start({ hostContext });
    expect(await view.hello()).toMatchObject({ hostContext });
    const other = await view.ask("ui/initialize", {
      protocolVersion: "2026-01-26",
      appInfo: { name: "trusted-bank", version: "1.0.0" },
      appCapabilities: {},
    });
    expect(other.error?.code).toBe(-32000);
    expect(bridge.getAppVersion()?.name).toBe("raw");
    expect(said("initialize-refused")).toHaveLength(1);
  });

  test("that is not well formed is refused with the place of the mistake", async () => {
    const { view, said } = await connect();
    const answer = await view.ask("ui/initialize", {
      protocolVersion: "2026-01-26",
      appInfo: { name: 7 },
      appCapabilities: {},
    });
    expect(answer.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("params.appInfo"),
    });
    expect(said("initialize-refused")).toHaveLength(1);
  });

  test("a View that does not wait for the answer gets it first all the same", async () => {
    const { view, bridge } = await connect();
    void bridge.sendToolInput({ arguments: { city: "Bern" } });
    const answered = view.hello();
    view.notify("ui/notifications/initialized");
    await answered;
    await turn();
    expect(
      view.received.map(({ method, result }) => method ?? Object.keys(result ?? {})[0]),
    ).toEqual(["protocolVersion", "ui/notifications/tool-input"]);
  });

  test("initialized without an introduction does not count", async () => {
    const { view, bridge } = await connect();
    view.notify("ui/notifications/initialized");
    await turn();
    expect(bridge.initialized).toBe(false);
    await view.start();
    expect(bridge.initialized).toBe(true);
  });

  test("messages that arrive while the gate is still loading wait for it", async () => {
    const view = new RawView();
    const bridge = new AppBridge(null, { name: "h", version: "1" });
    void bridge.sendToolInput({ arguments: {} });
    const connecting = bridge.connect(view.hostEnd);
    const answered = view.hello();
    view.notify("ui/notifications/initialized");
    await Promise.all([connecting, answered]);
    await turn();
    expect(view.methods).toEqual(["ui/notifications/tool-input"]);
    await bridge.close();
  });
});

describe("before initialized nothing is sent (HST-42)", () => {
  test("context, tool data and list changes wait, and then go out in order", async () => {
    const upstream = scriptedUpstream();
    const { view, bridge } = await connect({ hostContext: { theme: "light" }, client: upstream });
    const tell = (): void => {
      bridge.setHostContext({ theme: "dark" });
      void bridge.sendHostContextChange({ locale: "fr" });
      void bridge.sendToolInputPartial({ arguments: { a: 1 } });
      void bridge.sendToolInput({ arguments: { a: 12 } });
      void bridge.sendToolResult({ content: [] });
      upstream.change("tools");
      void bridge.sendPromptListChanged();
    };
    tell();
    await turn();
    expect(view.received).toEqual([]);
    await view.hello();
    bridge.setHostContext({ theme: "light", locale: "it" });
    await turn();
    expect(view.methods).toEqual([]);
    view.notify("ui/notifications/initialized");
    await turn();
    expect(view.received.filter(({ method }) => method)).toMatchObject([
      { method: "ui/notifications/host-context-changed", params: { theme: "light", locale: "it" } },
      { method: "ui/notifications/tool-input", params: { arguments: { a: 12 } } },
      { method: "ui/notifications/tool-result" },
      { method: "notifications/tools/list_changed" },
      { method: "notifications/prompts/list_changed" },
    ]);
  });

  test("teardown has nobody to tell and resolves at once", async () => {
    const { view, bridge } = await connect();
    await view.hello();
    expect(await bridge.teardownResource({ reason: "gone" })).toEqual({});
    expect(view.methods).toEqual([]);
  });

  test("neither are the View's own tools asked for", async () => {
    const { view, bridge } = await connect();
    await view.hello({ appCapabilities: { tools: {} } });
    await expect(bridge.listTools()).rejects.toMatchObject({ code: "no-app-tools" });
    expect(view.methods).toEqual([]);
  });
});

describe("ping (HST-84)", () => {
  test("is answered before, between and after the handshake, and received by onping", async () => {
    const { view, bridge } = await connect();
    const onping = vi.fn(() => ({}));
    bridge.onping = onping;
    expect(await view.get("ping")).toEqual({});
    await view.hello();
    expect(await view.get("ping")).toEqual({});
    view.notify("ui/notifications/initialized");
    expect(await view.get("ping")).toEqual({});
    expect(onping).toHaveBeenCalledTimes(3);
  });
});

describe("connections", () => {
  test("a bridge is connected once", async () => {
    const { bridge } = await connect();
    await expect(bridge.connect(new RawView().hostEnd)).rejects.toMatchObject({
      code: "connected",
    });
    await bridge.close();
    await expect(bridge.connect(new RawView().hostEnd)).rejects.toMatchObject({
      code: "connected",
    });
  });

  test("close is idempotent, tells onclose once, and silences everything", async () => {
    const upstream = scriptedUpstream();
    const { view, bridge } = await start({ client: upstream });
    const onclose = vi.fn();
    bridge.onclose = onclose;
    await bridge.close();
    await bridge.close();
    expect(onclose).toHaveBeenCalledTimes(1);
    expect(upstream.listeners.size).toBe(0);
    const before = view.received.length;
    bridge.setHostContext({ theme: "dark" });
    await bridge.sendToolInput({});
    await bridge.sendToolListChanged();
    await turn();
    expect(view.received).toHaveLength(before);
  });

  test("a View that closes its end ends the session", async () => {
    const { view, bridge } = await start();
    const onclose = vi.fn();
    bridge.onclose = onclose;
    view.hostEnd.onclose?.();
    expect(onclose).toHaveBeenCalledTimes(1);
    expect(bridge.initialized).toBe(false);
  });

  test("a transport whose promises fail ends the session and rejects nowhere else", async () => {
    const view = new RawView();
    const bridge = new AppBridge(null, { name: "h", version: "1" });
    const send = view.hostEnd.send;
    let isBroken = false;
    view.hostEnd.send = async (message) => {
      if (isBroken) throw new Error("the frame is gone");
      send(message);
    };
    await bridge.connect(view.hostEnd);
    await view.start();
    const onclose = vi.fn();
    bridge.onclose = onclose;
    isBroken = true;
    bridge.setHostContext({ theme: "dark" });
    await turn();
    expect(onclose).toHaveBeenCalledTimes(1);
    expect(await bridge.teardownResource()).toEqual({});
  });
});

describe("several bridges over one upstream (HST-10)", () => {
  test("each of them passes list changes on until it is closed", async () => {
    const upstream = scriptedUpstream();
    const one = await start({ client: upstream });
    const two = await start({ client: upstream });
    upstream.change("tools");
    upstream.change("resources");
    await turn();
    for (const { view } of [one, two]) {
      expect(view.methods).toEqual([
        "notifications/tools/list_changed",
        "notifications/resources/list_changed",
      ]);
    }
    await one.bridge.close();
    upstream.change("prompts");
    await turn();
    expect(two.view.methods).toHaveLength(3);
    expect(one.view.methods).toHaveLength(2);
  });

  test("changes of a list whose capability wasn't declared are not sent", async () => {
    const quiet = scriptedUpstream({ capabilities: { tools: {}, resources: {} } });
    const { view, bridge } = await start({ client: quiet });
    quiet.change("tools");
    await bridge.sendResourceListChanged();
    await turn();
    expect(view.methods).toEqual([]);
  });

  test("each View's answers are its own, though all number their requests alike", async () => {
    const upstream = scriptedUpstream({
      tools: [readOnly("look")],
      answer: ({ params }) => ({ content: [{ type: "text", text: JSON.stringify(params) }] }),
    });
    const scenes = await Promise.all([start({ client: upstream }), start({ client: upstream })]);
    const answers = await Promise.all(
      scenes.map(({ view }, n) => view.get("tools/call", { name: "look", arguments: { n } })),
    );
    expect(answers).toMatchObject([
      { content: [{ text: '{"name":"look","arguments":{"n":0}}' }] },
      { content: [{ text: '{"name":"look","arguments":{"n":1}}' }] },
    ]);
  });
});

describe("extensions", () => {
  test("a handler of the peer is offered to the View and answers it, after the handshake", async () => {
    const { view } = await connect({
      prepare: (bridge) => bridge.peer.handle("vendor/draw", (params) => ({ drew: params })),
    });
    const early = view.ask("vendor/draw", { a: 0 });
    expect(await view.hello()).toMatchObject({
      hostCapabilities: { experimental: { "vendor/draw": {} } },
    });
    view.notify("ui/notifications/initialized");
    expect((await early).result).toEqual({ drew: { a: 0 } });
    expect(await view.get("vendor/draw", { a: 1 })).toEqual({ drew: { a: 1 } });
  });

  test("a notification is received where the Host declared it, and only then", async () => {
    const received: unknown[] = [];
    const prepare = (bridge: AppBridge): void => {
      bridge.peer.on("vendor/ink", (params) => received.push(params));
      bridge.peer.on("vendor/other", (params) => received.push(params));
      // Names of events are not methods: a View that sends them reaches no listener.
      bridge.addEventListener("sizechange", (params) => received.push(params));
    };
    const { view } = await start({ prepare, capabilities: { experimental: { "vendor/ink": {} } } });
    view.notify("vendor/ink", { colour: "red" });
    view.notify("vendor/other", {});
    view.notify("sizechange", { width: 1 });
    await turn();
    expect(received).toEqual([{ colour: "red" }]);
  });
});
