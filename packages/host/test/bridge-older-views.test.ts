import { describe, expect, test, vi } from "vitest";
import { connect, start, turn } from "./raw-view.ts";

describe("Views from before the stable release are understood, and named", () => {
  test("an introduction with clientInfo and capabilities", async () => {
    const { view, bridge, diagnostics } = await connect();
    await view.get("ui/initialize", {
      clientInfo: { name: "old", version: "0.1" },
      capabilities: { tools: {} },
      protocolVersion: "2025-11-21",
    });
    expect(bridge.getAppVersion()).toEqual({ name: "old", version: "0.1" });
    expect(bridge.getAppCapabilities()).toEqual({ tools: {} });
    expect(diagnostics).toEqual([
      {
        level: "info",
        code: "compatibility",
        detail: "ui/initialize: no appInfo, appCapabilities",
      },
    ]);
  });

  test("an introduction with next to nothing", async () => {
    const { view, bridge } = await connect();
    expect(await view.get("ui/initialize", {})).toMatchObject({ protocolVersion: "2026-01-26" });
    expect(bridge.getAppVersion()).toEqual({ name: "unknown", version: "0" });
  });

  test("display modes of other times do not cost a View its start", async () => {
    const { view, bridge } = await connect();
    await view.hello({
      appCapabilities: { availableDisplayModes: ["inline", "picture-in-picture", "split", 7] },
    });
    expect(bridge.getAppCapabilities()).toEqual({ availableDisplayModes: ["inline", "pip"] });
  });

  test.each(["ui/size-change", "ui/resize"])("%s is a size, and named once", async (method) => {
    const { view, bridge, said } = await start();
    const onsizechange = vi.fn();
    bridge.onsizechange = onsizechange;
    for (let n = 1; n < 5; n++) view.notify(method, { width: n, height: n });
    await turn();
    expect(onsizechange).toHaveBeenCalledWith({ width: 1, height: 1 });
    expect(said("compatibility")).toEqual([`${method} is ui/notifications/size-changed`]);
  });

  test("a message whose content is an object", async () => {
    const onmessage = vi.fn(() => ({}));
    const { view, said } = await start({
      consent: () => true,
      prepare: (bridge) => {
        bridge.onmessage = onmessage;
      },
    });
    const content = { type: "text", text: "hello" };
    expect(await view.get("ui/message", { role: "user", content })).toEqual({});
    expect(onmessage).toHaveBeenCalledWith({ role: "user", content: [content] }, expect.anything());
    expect(said("compatibility")).toEqual(["ui/message: content as an object"]);
  });

  test("picture-in-picture is pip", async () => {
    const { view } = await start({
      hostContext: { availableDisplayModes: ["inline", "pip"] },
      prepare: (bridge) => {
        bridge.onrequestdisplaymode = ({ mode }) => ({ mode });
      },
    });
    expect(await view.get("ui/request-display-mode", { mode: "picture-in-picture" })).toEqual({
      mode: "pip",
    });
  });

  test("messages as text", async () => {
    const { view } = await connect();
    view.send(JSON.stringify({ jsonrpc: "2.0", id: 5, method: "ping" }));
    await turn();
    expect(view.received).toEqual([{ jsonrpc: "2.0", id: 5, result: {} }]);
  });

  test("notifications without params", async () => {
    const { view, bridge, diagnostics } = await start();
    const onrequestteardown = vi.fn();
    bridge.onrequestteardown = onrequestteardown;
    view.notify("ui/notifications/request-teardown");
    await turn();
    expect(onrequestteardown).toHaveBeenCalledTimes(1);
    expect(diagnostics).toEqual([]);
  });
});
