import type { McpUiDisplayMode } from "@vitrine/protocol/apps";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { AppBridge } from "../src/bridge/bridge.ts";
import { start, turn } from "./raw-view.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("ui/request-display-mode", () => {
  const hostContext = {
    displayMode: "inline",
    availableDisplayModes: ["inline", "fullscreen"],
  } as const;
  const setup = (options = {}) => {
    const onrequestdisplaymode = vi.fn(async ({ mode }: { mode: McpUiDisplayMode }) => ({ mode }));
    const prepare = (bridge: AppBridge): void => {
      bridge.onrequestdisplaymode = onrequestdisplaymode;
    };
    const context = {
      ...hostContext,
      availableDisplayModes: [...hostContext.availableDisplayModes],
    };
    return { onrequestdisplaymode, options: { prepare, hostContext: context, ...options } };
  };

  test("answers with the mode in force and tells of the change (HST-59, HST-62)", async () => {
    const { onrequestdisplaymode, options } = setup();
    const { view } = await start(options);
    expect(await view.get("ui/request-display-mode", { mode: "fullscreen" })).toEqual({
      mode: "fullscreen",
    });
    await turn();
    expect(view.all("ui/notifications/host-context-changed")).toMatchObject([
      { params: { displayMode: "fullscreen" } },
    ]);
    onrequestdisplaymode.mockResolvedValueOnce({ mode: "fullscreen" });
    expect(await view.get("ui/request-display-mode", { mode: "inline" })).toEqual({
      mode: "fullscreen",
    });
  });

  test.each(["pip", "split", "picture-in-picture", ""])(
    "%j, which the Host does not offer, leaves the mode as it is (HST-60)",
    async (mode) => {
      const { onrequestdisplaymode, options } = setup();
      const { view, said } = await start(options);
      expect(await view.get("ui/request-display-mode", { mode })).toEqual({ mode: "inline" });
      expect(onrequestdisplaymode).not.toHaveBeenCalled();
      expect(said("refused")).toHaveLength(1);
    },
  );

  test("a mode that the View did not declare is declined (HST-58, HST-61)", async () => {
    const { onrequestdisplaymode, options } = setup();
    const { view, bridge } = await start(options, { availableDisplayModes: ["inline"] });
    expect(await view.get("ui/request-display-mode", { mode: "fullscreen" })).toEqual({
      mode: "inline",
    });
    expect(onrequestdisplaymode).not.toHaveBeenCalled();
    expect(bridge.canShowIn("inline")).toBe(true);
    expect(bridge.canShowIn("fullscreen")).toBe(false);
  });

  test("a View that declared nothing may be shown in any mode (HST-58)", async () => {
    const { bridge } = await start(setup().options);
    expect(bridge.canShowIn("pip")).toBe(true);
  });

  test("to grow needs a click, to shrink needs none", async () => {
    const { options } = setup();
    const { view } = await start(options);
    view.userActive = false;
    expect(await view.get("ui/request-display-mode", { mode: "fullscreen" })).toEqual({
      mode: "inline",
    });
    view.userActive = true;
    expect(await view.get("ui/request-display-mode", { mode: "fullscreen" })).toEqual({
      mode: "fullscreen",
    });
    view.userActive = false;
    expect(await view.get("ui/request-display-mode", { mode: "inline" })).toEqual({
      mode: "inline",
    });
  });

  test("one click is one change: a View can neither flicker nor come back (F119)", async () => {
    const { onrequestdisplaymode, options } = setup();
    const { view } = await start(options);
    vi.useFakeTimers();
    view.userActive = true;
    await view.get("ui/request-display-mode", { mode: "fullscreen" });
    await view.get("ui/request-display-mode", { mode: "inline" });
    expect(await view.get("ui/request-display-mode", { mode: "fullscreen" })).toEqual({
      mode: "inline",
    });
    expect(onrequestdisplaymode).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(5001);
    expect(await view.get("ui/request-display-mode", { mode: "fullscreen" })).toEqual({
      mode: "fullscreen",
    });
  });

  test("has an answer even where nobody handles it, or the handler fails (HST-59)", async () => {
    const { view } = await start({ hostContext: { displayMode: "fullscreen" } });
    expect(await view.get("ui/request-display-mode", { mode: "inline" })).toEqual({
      mode: "fullscreen",
    });
    const { onrequestdisplaymode, options } = setup();
    onrequestdisplaymode.mockRejectedValueOnce(new Error("no surface"));
    const failing = await start(options);
    expect(await failing.view.get("ui/request-display-mode", { mode: "fullscreen" })).toEqual({
      mode: "inline",
    });
    expect(failing.said("listener")).toEqual(["ui/request-display-mode"]);
  });
});
