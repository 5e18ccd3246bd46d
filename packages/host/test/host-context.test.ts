import { STYLE_VARIABLES } from "@vitrine/protocol/apps";
import { describe, expect, test } from "vitest";
import { connect, type RawView, start, turn } from "./raw-view.ts";

const CHANGED = "ui/notifications/host-context-changed";
const changes = (view: RawView): unknown[] => view.all(CHANGED).map(({ params }) => params);

describe("the host context", () => {
  test("is sent as the keys that changed, each with its whole value (HST-55)", async () => {
    const variables = { "--font-sans": "serif", "--shadow-sm": "none" };
    const styles = { variables: variables as never };
    const { view, bridge } = await start({
      hostContext: { theme: "light", locale: "de", styles },
    });
    bridge.setHostContext({ theme: "dark", locale: "de", styles: structuredClone(styles) });
    bridge.setHostContext({ theme: "dark", locale: "de", styles });
    const changed = { variables: { ...variables, "--shadow-sm": "1px 1px" } as never };
    await bridge.sendHostContextChange({ styles: changed });
    await turn();
    expect(changes(view)).toEqual([{ theme: "dark" }, { styles: changed }]);
  });

  test("is merged by sendHostContextChange and replaced by setHostContext", async () => {
    const { view, bridge } = await connect({ hostContext: { theme: "light", locale: "de" } });
    await bridge.sendHostContextChange({ timeZone: "Europe/Zurich" });
    expect((await view.hello()).hostContext).toEqual({
      theme: "light",
      locale: "de",
      timeZone: "Europe/Zurich",
    });
    bridge.setHostContext({ theme: "light" });
    expect((await view.hello()).hostContext).toEqual({ theme: "light" });
  });

  test("an object that the Host changes in place is noticed", async () => {
    const deviceCapabilities = { touch: false };
    const { view, bridge } = await start({ hostContext: { deviceCapabilities } });
    deviceCapabilities.touch = true;
    bridge.setHostContext({ deviceCapabilities });
    await turn();
    expect(changes(view)).toEqual([{ deviceCapabilities: { touch: true } }]);
  });

  test("changes between the answer and initialized are not lost", async () => {
    const { view, bridge } = await connect({ hostContext: { theme: "light", locale: "de" } });
    await view.hello();
    bridge.setHostContext({ theme: "dark", locale: "de" });
    view.notify("ui/notifications/initialized");
    await turn();
    expect(changes(view)).toEqual([{ theme: "dark" }]);
  });

  test("notifies the View of a display mode that the Host changed (HST-62)", async () => {
    const { view, bridge } = await start({ hostContext: { displayMode: "inline" } });
    await bridge.sendHostContextChange({ displayMode: "fullscreen" });
    await turn();
    expect(changes(view)).toEqual([{ displayMode: "fullscreen" }]);
  });

  test("keys of the Host's own are kept", async () => {
    const { view, bridge } = await connect({ hostContext: { "vendor/x": { deep: [1] } } });
    expect((await view.start()).hostContext).toEqual({ "vendor/x": { deep: [1] } });
    await bridge.sendHostContextChange({ "vendor/x": null });
    await turn();
    expect(changes(view)).toEqual([{ "vendor/x": null }]);
  });
});

describe("what official Views refuse is not sent", () => {
  const variables = {
    "--font-sans": "serif",
    "--shadow-huge": "9px",
    "--border-radius-small": "2px",
  };

  test.each([
    ["a theme of one's own", { theme: "high-contrast" }, {}],
    ["a platform of one's own", { platform: "tablet" }, {}],
    ["null", { locale: null, timeZone: "UTC" }, { timeZone: "UTC" }],
    ["half of the insets", { safeAreaInsets: { top: 1 } }, {}],
    ["a tool without a schema", { toolInfo: { tool: { name: "x" } } }, {}],
    [
      "a mode of tomorrow",
      { availableDisplayModes: ["inline", "split"] },
      { availableDisplayModes: ["inline"] },
    ],
    [
      "a seventy-seventh variable",
      { styles: { variables } },
      { styles: { variables: { "--font-sans": "serif" } } },
    ],
    [
      "a tool's keys beyond the schema",
      { toolInfo: { id: 3, tool: { name: "x", inputSchema: { type: "object" }, vendor: 1 } } },
      { toolInfo: { id: 3, tool: { name: "x", inputSchema: { type: "object" } } } },
    ],
  ])("%s", async (_, hostContext, expected) => {
    const { view, said } = await connect({ hostContext: hostContext as never });
    expect((await view.hello()).hostContext).toEqual(expected);
    if (Object.keys(expected).length < Object.keys(hostContext).length) {
      expect(said("left-out").length).toBeGreaterThan(0);
    }
  });

  test("a change with nothing left to send is not sent", async () => {
    const { view, bridge, said } = await start();
    bridge.setHostContext({ theme: "sepia" as never });
    await turn();
    expect(changes(view)).toEqual([]);
    expect(said("left-out")).toEqual([expect.stringContaining("theme")]);
  });

  test("any subset of the variables is (HST-63)", async () => {
    for (const count of [0, 1, 40, STYLE_VARIABLES.length]) {
      const some = Object.fromEntries(
        STYLE_VARIABLES.slice(0, count).map((key) => [key, "light-dark(#fff, #000)"]),
      );
      const { view } = await connect({ hostContext: { styles: { variables: some as never } } });
      expect((await view.hello()).hostContext).toEqual({ styles: { variables: some } });
    }
  });
});
