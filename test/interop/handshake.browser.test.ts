import { describe, expect, test, vi } from "vitest";
import { mount, mountUnconnected, PAIRINGS, UNDER } from "./mounted-view.ts";

const APP_INFO = { name: "scripted-view", version: "1.2.3", title: "Scripted" };

describe.each(PAIRINGS)(UNDER, (pairing) => {
  test("the frame has the origin it is meant to have", async () => {
    const { view } = await mountUnconnected(pairing);
    expect(await view.origin()).toBe(pairing.origin === "opaque" ? "null" : location.origin);
  });

  test("ui/initialize carries version, name and capabilities to the bridge (VEW-01, VEW-03)", async () => {
    const appCapabilities = {
      availableDisplayModes: ["inline" as const, "fullscreen" as const],
      tools: { listChanged: true },
      experimental: { "vendor/x": { level: 2 } },
    };
    const { bridge, lines } = await mount(pairing, { appCapabilities });
    expect(bridge.getAppVersion()).toEqual(APP_INFO);
    expect(bridge.getAppCapabilities()).toEqual(appCapabilities);
    expect(lines[0]).toMatchObject({
      from: "view",
      message: {
        method: "ui/initialize",
        params: { protocolVersion: "2026-01-26", appInfo: APP_INFO, appCapabilities },
      },
    });
  });

  test("ui/initialize declares the inline mode for a View that declares none (VEW-03)", async () => {
    const { bridge } = await mount(pairing);
    expect(bridge.getAppCapabilities()).toEqual({ availableDisplayModes: ["inline"] });
  });

  test("ui/initialize brings back the host's name, capabilities and context", async () => {
    const capabilities = {
      openLinks: {},
      serverTools: { listChanged: true },
      sandbox: { permissions: { camera: {} }, csp: { connectDomains: ["https://api.example"] } },
    };
    const context = {
      theme: "dark" as const,
      locale: "de-CH",
      styles: { variables: { "--color-text-primary": "#111" } as never },
      "vendor/thread": "t1",
    };
    const { view } = await mount(pairing, { capabilities, context });
    expect(await view.call("getHostVersion")).toEqual({ name: "official-host", version: "9.8.7" });
    expect(await view.call("getHostCapabilities")).toMatchObject(capabilities);
    expect(await view.call("getHostContext")).toMatchObject(context);
  });

  test("ui/notifications/initialized is the second message of the View (VEW-02)", async () => {
    const { bridge, view, sent, warnings } = await mountUnconnected(pairing, {
      bridge: (bridge) => {
        bridge.onopenlink = async () => ({});
      },
    });
    const initialized = vi.fn();
    bridge.addEventListener("initialized", initialized);
    // Not awaited: the call is made while the handshake is still under way.
    await view.begin("connect", "connect");
    await view.begin("early", "openLink", { url: "https://example.com" });
    expect(await view.ending("early")).toMatchObject({ value: {} });
    expect(sent()).toEqual(["ui/initialize", "ui/notifications/initialized", "ui/open-link"]);
    expect(initialized).toHaveBeenCalledOnce();
    // The bridge would name a request that came before its time.
    expect(warnings()).toBe("");
  });

  test("a call before connect() is rejected in the View and sends nothing to the host (VEW-02)", async () => {
    const { view, sent } = await mountUnconnected(pairing);
    await expect(view.call("callServerTool", { name: "x" })).rejects.toMatchObject({
      name: "LocalError",
      code: "not-connected",
    });
    expect(sent()).toEqual([]);
  });

  test("ui/initialize a second time, by a new App on the same window, replaces the first", async () => {
    const { bridge, view, lines, sent, delivered, warnings } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.oncalltool = async ({ name }) => ({ content: [{ type: "text", text: name }] });
      },
      view: (view) => view.listen("toolinput"),
    });
    const initialized = vi.fn();
    bridge.addEventListener("initialized", initialized);
    // What React's StrictMode does: unmount at once, mount again.
    await view.call("close");
    await view.create({ availableDisplayModes: ["pip"] }, { autoResize: false });
    await view.listen("toolinput");
    await view.call("connect");
    await vi.waitFor(() => expect(initialized).toHaveBeenCalledOnce());
    expect(bridge.getAppCapabilities()).toEqual({ availableDisplayModes: ["pip"] });

    await bridge.sendToolInput({ arguments: { n: 1 } });
    await delivered();
    expect(await view.received()).toEqual([
      { event: "close" },
      { event: "toolinput", params: { arguments: { n: 1 } } },
    ]);
    expect(await view.call("callServerTool", { name: "again" })).toMatchObject({
      content: [{ type: "text", text: "again" }],
    });
    expect(sent().filter((method) => method === "ui/initialize")).toHaveLength(2);
    expect(warnings()).toContain("second ui/initialize");
    // Both Apps number from the same start: an answer must not reach the closed one.
    expect(lines.filter(({ message }) => message.error)).toEqual([]);
  });

  test("two Apps on one window, the first never closed, both finish their handshake", async () => {
    const { bridge, view } = await mount(pairing);
    await view.create({}, { autoResize: false });
    await view.call("connect");
    expect(bridge.getAppVersion()).toEqual(APP_INFO);
    expect(await view.call("getHostVersion")).toMatchObject({ name: "official-host" });
  });

  test("ping from the View is answered by the bridge", async () => {
    const onping = vi.fn();
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.onping = onping;
      },
    });
    expect(await view.call("request", { method: "ping" })).toEqual({});
    expect(onping).toHaveBeenCalledOnce();
  });

  test("ping from the host is answered by the View (VEW-28)", async () => {
    const { delivered, lines } = await mount(pairing);
    await delivered();
    expect(lines.at(-1)).toMatchObject({ from: "view", message: { result: {} } });
  });

  test("close() rejects what is pending and a later call", async () => {
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.oncalltool = () => new Promise(() => {});
      },
    });
    await view.begin("pending", "callServerTool", { name: "slow" });
    await view.call("close");
    expect(await view.ending("pending")).toMatchObject({ error: { code: "closed" } });
    await expect(view.call("callServerTool", { name: "x" })).rejects.toMatchObject({
      code: "not-connected",
    });
  });
});
