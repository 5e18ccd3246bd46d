import { expect, test, vi } from "vitest";
import { AppBridge } from "../src/bridge/bridge.ts";
import { RawView, turn } from "./raw-view.ts";
import { scriptedUpstream } from "./scripted-upstream.ts";

// The network is gone between the page and the part of the Host that judges messages.
vi.mock("../src/gate/request-gate.ts", () => {
  throw new Error("Failed to fetch dynamically imported module");
});

test("without the gate the Host serves nothing, sends nothing and reports it", async () => {
  const upstream = scriptedUpstream();
  const bridge = new AppBridge(upstream, { name: "h", version: "1" });
  const oncalltool = vi.fn();
  bridge.oncalltool = oncalltool;
  bridge.onlisttools = oncalltool;
  const view = new RawView();
  await expect(bridge.connect(view.hostEnd)).rejects.toThrow();
  void bridge.sendToolInput({ arguments: { secret: 1 } });
  bridge.setHostContext({ theme: "dark" });
  view.notify("ui/notifications/initialized");
  for (const method of ["ui/initialize", "tools/call", "ping"]) {
    expect((await view.ask(method, { name: "look" })).error).toEqual({
      code: -32603,
      message: "Internal error",
    });
  }
  view.notify("ui/notifications/initialized");
  await turn();
  expect(view.methods).toEqual([]);
  expect(upstream.reached).toEqual([]);
  expect(oncalltool).not.toHaveBeenCalled();
  expect(bridge.initialized).toBe(false);
  expect(await bridge.teardownResource()).toEqual({});
  await bridge.close();
});
