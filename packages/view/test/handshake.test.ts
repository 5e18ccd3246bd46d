import { ScriptedHost, turn } from "@vitrine/internal/scripted-host";
import { App } from "@vitrine/view";
import { describe, expect, test } from "vitest";
import { connectApp } from "./connect-app.ts";

const info = { name: "test", version: "1.0.0", title: "Test" };
const quiet = { autoResize: false };

describe("the handshake", () => {
  test("sends version, app info and capabilities, all three (VEW-01)", async () => {
    const host = new ScriptedHost();
    const capabilities = { tools: { listChanged: true }, experimental: { "x/y": {} } };
    await new App(info, capabilities, quiet).connect(host.view);
    expect(host.received[0]).toEqual({
      jsonrpc: "2.0",
      id: 1,
      method: "ui/initialize",
      params: {
        protocolVersion: "2026-01-26",
        appInfo: info,
        appCapabilities: { availableDisplayModes: ["inline"], ...capabilities },
      },
    });
  });

  test("begins with ui/initialize and ends with initialized, with nothing between (VEW-02)", async () => {
    const { host } = await connectApp();
    await turn();
    expect(host.methods).toEqual(["ui/initialize", "ui/notifications/initialized"]);
  });

  test("declares inline when the author names no display mode (VEW-03)", async () => {
    const { host } = await connectApp();
    expect(host.last("ui/initialize")?.params).toMatchObject({
      appCapabilities: { availableDisplayModes: ["inline"] },
    });
  });

  test("declares every display mode the author names (VEW-03)", async () => {
    const capabilities = { availableDisplayModes: ["inline", "fullscreen", "pip"] as const };
    const { host } = await connectApp({}, { capabilities: structuredClone(capabilities) as never });
    expect(host.last("ui/initialize")?.params).toMatchObject({ appCapabilities: capabilities });
  });

  test("keeps what the Host said of itself", async () => {
    const { app } = await connectApp({
      hostCapabilities: { openLinks: {}, serverTools: { listChanged: true } },
      hostContext: { theme: "dark", "vendor/x": 1 },
    });
    expect(app.getHostVersion()).toEqual({ name: "scripted", version: "1.0.0" });
    expect(app.getHostCapabilities()).toEqual({
      openLinks: {},
      serverTools: { listChanged: true },
    });
    expect(app.getHostContext()).toEqual({ theme: "dark", "vendor/x": 1 });
  });

  test("knows nothing of the Host before it", () => {
    const app = new App(info);
    expect(app.getHostVersion()).toBeUndefined();
    expect(app.getHostCapabilities()).toBeUndefined();
    expect(app.getHostContext()).toBeUndefined();
    expect(app.peer.channel).toBeUndefined();
  });

  test.each([{}, { protocolVersion: "1999-01-01" }, { hostContext: null, hostCapabilities: null }])(
    "survives a host that answers %j",
    async (result) => {
      const { app } = await connectApp({ result });
      expect(app.getHostCapabilities()).toEqual({});
      expect(app.getHostContext()).toEqual({});
    },
  );

  test("that the Host refuses rejects connect, closes, and may be tried again", async () => {
    const refusing = new ScriptedHost({
      answers: {
        "ui/initialize": () => {
          throw { code: -32602, message: "not you" };
        },
      },
    });
    const app = new App(info, {}, quiet);
    let closes = 0;
    app.onclose = () => closes++;
    await expect(app.connect(refusing.view)).rejects.toMatchObject({ code: -32602 });
    expect(closes).toBe(1);
    expect(app.peer.channel).toBeUndefined();
    const host = new ScriptedHost();
    await app.connect(host.view);
    expect(app.getHostVersion()?.name).toBe("scripted");
  });

  test("that never ends gives up after the timeout, without a word more (VEW-02)", async () => {
    const host = new ScriptedHost({ hesitate: true });
    const app = new App(info, {}, quiet);
    await expect(app.connect(host.view, { timeout: 5 })).rejects.toMatchObject({ code: "timeout" });
    expect(host.methods).toEqual(["ui/initialize"]);
  });

  test("a second time over a live connection is a mistake with a name", async () => {
    const { app, host } = await connectApp();
    await expect(app.connect(host.view)).rejects.toMatchObject({ code: "connected" });
  });

  test("after close connects again, as React's double mount does", async () => {
    const { app } = await connectApp();
    await app.close();
    const host = new ScriptedHost({ hostContext: { theme: "light" } });
    await app.connect(host.view);
    expect(app.getHostContext()).toEqual({ theme: "light" });
  });
});

describe("before the handshake", () => {
  test("a call without connect is a mistake with a name (VEW-27)", async () => {
    const app = new App(info);
    await expect(app.callServerTool({ name: "x" })).rejects.toMatchObject({
      name: "LocalError",
      code: "not-connected",
      message: expect.stringContaining("tools/call"),
    });
    await expect(app.sendLog({ level: "info", data: "x" })).rejects.toMatchObject({
      code: "not-connected",
    });
  });

  test("a call during it waits, and goes out after initialized (VEW-02, VEW-27)", async () => {
    const host = new ScriptedHost({ hesitate: true, answers: { "tools/call": { content: [] } } });
    const app = new App(info, {}, quiet);
    const connecting = app.connect(host.view);
    const call = app.callServerTool({ name: "early" });
    const log = app.sendLog({ level: "info", data: "early" });
    await turn();
    expect(host.methods).toEqual(["ui/initialize"]);
    host.admit();
    await Promise.all([connecting, call, log]);
    expect(host.methods.slice(0, 2)).toEqual(["ui/initialize", "ui/notifications/initialized"]);
    expect(host.methods).toContain("tools/call");
    expect(host.methods).toContain("notifications/message");
  });

  test("ping is answered all the same (VEW-28)", async () => {
    const host = new ScriptedHost({ hesitate: true });
    const app = new App(info, {}, quiet);
    const connecting = app.connect(host.view);
    expect(await host.request("ping")).toMatchObject({ result: {} });
    host.admit();
    await connecting;
  });
});

describe("closing", () => {
  test("rejects what is pending, tells onclose once, and is idempotent", async () => {
    const { app } = await connectApp({ answers: { "tools/call": () => new Promise(() => {}) } });
    let closes = 0;
    app.onclose = () => closes++;
    const call = app.readServerResource({ uri: "ui://x" }, { timeout: 1000 });
    await app.close();
    await app.close();
    await expect(call).rejects.toMatchObject({ code: "closed" });
    expect(closes).toBe(1);
  });

  test("by the Host is noticed too", async () => {
    const { app, host } = await connectApp();
    let closes = 0;
    app.onclose = () => closes++;
    host.close();
    expect(closes).toBe(1);
    await expect(app.callServerTool({ name: "x" })).rejects.toMatchObject({
      code: "not-connected",
    });
  });
});
