import { describe, expect, test } from "vitest";
import { mount, PAIRINGS, UNDER } from "./mounted-view.ts";

describe.each(PAIRINGS)(UNDER, (pairing) => {
  test("a host's own notification reaches app.peer.on under the name it was sent with", async () => {
    const methods = ["vendor/menu", "vendor/row-added", "vendor/rowAdded"];
    const { bridge, view, delivered } = await mount(pairing, {
      view: (view) => view.subscribe(...methods),
    });
    for (const method of methods) await bridge.notification({ method, params: { n: 1 } });
    await delivered();
    expect((await view.received()).map(({ event }) => event)).toEqual(methods);
  });

  test("a host's own notification whose name mentions context leaves the host context alone", async () => {
    const method = "vendor/context-menu";
    const { bridge, view, delivered } = await mount(pairing, {
      context: { theme: "light" },
      view: (view) => view.subscribe(method),
    });
    await bridge.notification({ method, params: { theme: "opened" } });
    await delivered();
    expect(await view.call("getHostContext")).toEqual({ theme: "light" });
    expect(await view.received()).toEqual([{ event: method, params: { theme: "opened" } }]);
  });

  test("a request of the page's own may have a param called mode", async () => {
    const { view } = await mount(pairing, {
      context: { availableDisplayModes: ["inline"] },
      bridge: (bridge) => {
        bridge.fallbackRequestHandler = async ({ params }) => ({ echo: params?.mode });
      },
    });
    const request = { method: "vendor/edit", params: { mode: "draw" } };
    expect(await view.call("request", request)).toEqual({ echo: "draw" });
  });

  test("noise on the window isn't an error: text, numbers, messages of other tools", async () => {
    const { view, frame, delivered } = await mount(pairing);
    const noise = ["setImmediate$0.4$1", "", 7, null, { jsonrpc: "1.0" }, { type: "webpackOk" }];
    for (const message of noise) frame.contentWindow?.postMessage(message, "*");
    await delivered();
    expect(await view.received()).toEqual([]);
  });

  test("JSON-RPC whose params are not an object does not break the View (VEW-28)", async () => {
    const { bridge, view, frame, delivered } = await mount(pairing, {
      view: async (view) => {
        await view.handleErrors();
        await view.listen("toolinput");
      },
    });
    for (const method of [
      "ui/notifications/tool-result",
      "ui/notifications/host-context-changed",
      "notifications/progress",
      "notifications/cancelled",
    ]) {
      for (const params of [null, 1, "x", []]) {
        frame.contentWindow?.postMessage({ jsonrpc: "2.0", method, params }, "*");
      }
    }
    await bridge.sendToolInput({ arguments: { still: "here" } });
    await delivered();
    expect(await view.received()).toContainEqual({
      event: "toolinput",
      params: { arguments: { still: "here" } },
    });
  });

  test("close() right after a change of size leaves nothing to fail later", async () => {
    const { view } = await mount(pairing, { appOptions: { autoResize: true } });
    await view.growAndClose(400);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await view.received()).toEqual([{ event: "close" }]);
  });

  test("a message from a window other than the parent is ignored", async () => {
    const { view, frame, delivered } = await mount(pairing, {
      view: (view) => view.listen("toolinput"),
    });
    // A neighbour frame that reaches the View's window, as any frame of the page can.
    const neighbour = document.createElement("iframe");
    document.body.append(neighbour);
    const script = neighbour.contentDocument?.createElement("script") as HTMLScriptElement;
    script.textContent = `parent.document.querySelectorAll("iframe").forEach((frame) => {
      frame.contentWindow.postMessage({
        jsonrpc: "2.0", method: "ui/notifications/tool-input", params: { arguments: {} },
      }, "*");
    })`;
    neighbour.contentDocument?.head.append(script);
    neighbour.remove();
    expect(frame.isConnected).toBe(true);
    await delivered();
    expect(await view.received()).toEqual([]);
  });
});
