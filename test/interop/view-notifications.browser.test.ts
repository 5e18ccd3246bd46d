import { describe, expect, test, vi } from "vitest";
import { mount, PAIRINGS, type Setup, UNDER } from "./mounted-view.ts";

const LIST_CHANGED = "notifications/tools/list_changed";

/** Collects notifications that the bridge has no event for. */
function collecting(methods: string[]): Setup {
  return {
    bridge: (bridge) => {
      bridge.fallbackNotificationHandler = async ({ method }) => {
        methods.push(method);
      };
    },
  };
}

describe.each(PAIRINGS)(UNDER, (pairing) => {
  test("ui/notifications/size-changed sent manually reaches the bridge", async () => {
    const onsizechange = vi.fn();
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.onsizechange = onsizechange;
      },
    });
    await view.call("sendSizeChanged", { width: 300, height: 200 });
    await view.call("sendSizeChanged", { height: 250 });
    await vi.waitFor(() => expect(onsizechange).toHaveBeenCalledTimes(2));
    expect(onsizechange.mock.calls).toEqual([[{ width: 300, height: 200 }], [{ height: 250 }]]);
  });

  test("ui/notifications/size-changed follows the content, by default and once per size (VEW-11)", async () => {
    const heights: unknown[] = [];
    const { view, frame } = await mount(pairing, {
      appOptions: { autoResize: true },
      bridge: (bridge) => {
        bridge.onsizechange = ({ height }) => {
          heights.push(height);
          frame.style.height = `${height}px`;
        };
      },
    });
    await view.grow(320);
    await vi.waitFor(() => expect(heights.at(-1)).toBe(320));
    await view.grow(90);
    await vi.waitFor(() => expect(heights.at(-1)).toBe(90));
    const reports = heights.length;
    await new Promise((resolve) => setTimeout(resolve, 200));
    // The frame was resized to the reported size; that must not be reported again.
    expect(heights).toHaveLength(reports);
  });

  test("ui/notifications/request-teardown reaches the bridge (VEW-14)", async () => {
    const onrequestteardown = vi.fn();
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.onrequestteardown = onrequestteardown;
      },
    });
    await view.call("requestTeardown");
    await vi.waitFor(() => expect(onrequestteardown).toHaveBeenCalledOnce());
  });

  test("notifications/message reaches the bridge with level, logger and data", async () => {
    const onloggingmessage = vi.fn();
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.onloggingmessage = onloggingmessage;
      },
    });
    const line = { level: "warning", logger: "map", data: { tiles: 3, failed: ["a"] } };
    await view.call("sendLog", line);
    await vi.waitFor(() => expect(onloggingmessage).toHaveBeenCalledWith(line));
  });

  test("notifications/tools/list_changed reaches the host when it is sent manually", async () => {
    const methods: string[] = [];
    const { view } = await mount(pairing, collecting(methods));
    await view.call("sendToolListChanged");
    await vi.waitFor(() => expect(methods).toEqual([LIST_CHANGED]));
  });

  test("notifications/tools/list_changed follows every change of a registered tool (VEW-22, VEW-23)", async () => {
    const methods: string[] = [];
    const { bridge, view } = await mount(pairing, {
      ...collecting(methods),
      view: (view) => view.register("add", "whoami"),
    });
    expect(bridge.getAppCapabilities()?.tools).toEqual({ listChanged: true });
    await view.change("add", "disable");
    await vi.waitFor(() => expect(methods).toHaveLength(1));
    expect((await bridge.listTools({})).tools.map(({ name }) => name)).toEqual(["whoami"]);
    await view.change("add", "enable");
    await view.change("whoami", "remove");
    await vi.waitFor(() => expect(methods).toEqual([LIST_CHANGED, LIST_CHANGED, LIST_CHANGED]));
    expect((await bridge.listTools({})).tools.map(({ name }) => name)).toEqual(["add"]);
  });

  test("notifications/tools/list_changed is not sent by a View that declared none (VEW-23)", async () => {
    const methods: string[] = [];
    const { view, delivered } = await mount(pairing, {
      ...collecting(methods),
      appCapabilities: { tools: {} },
      view: (view) => view.register("add"),
    });
    await view.change("add", "disable");
    await delivered();
    expect(methods).toEqual([]);
  });

  test("a notification of any method reaches the host through notification()", async () => {
    const methods: string[] = [];
    const { view } = await mount(pairing, collecting(methods));
    await view.call("notification", { method: "vendor/scrolled", params: { y: 10 } });
    await vi.waitFor(() => expect(methods).toEqual(["vendor/scrolled"]));
  });
});
