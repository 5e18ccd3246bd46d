import { describe, expect, test, vi } from "vitest";
import { mount, mountUnconnected, PAIRINGS, UNDER } from "./mounted-view.ts";

const text = { type: "text" as const, text: "12 °C" };
const EVENTS = [
  "toolinputpartial",
  "toolinput",
  "toolresult",
  "toolcancelled",
  "hostcontextchanged",
] as const;

describe.each(PAIRINGS)(UNDER, (pairing) => {
  test("ui/notifications/tool-input-partial reaches the View as often as it is sent (VEW-10)", async () => {
    const { bridge, view, delivered } = await mount(pairing, {
      view: (view) => view.listen("toolinputpartial"),
    });
    const previews = [{ city: "B" }, {}, { city: "Bern", days: [1] }, undefined];
    for (const arguments_ of previews) {
      await bridge.sendToolInputPartial(arguments_ ? { arguments: arguments_ } : {});
    }
    await delivered();
    expect(await view.received()).toEqual([
      { event: "toolinputpartial", params: { arguments: { city: "B" } } },
      { event: "toolinputpartial", params: { arguments: {} } },
      { event: "toolinputpartial", params: { arguments: { city: "Bern", days: [1] } } },
      { event: "toolinputpartial", params: {} },
    ]);
  });

  test("ui/notifications/tool-input-partial to a View without a listener isn't an error (VEW-08)", async () => {
    const { bridge, view, delivered } = await mount(pairing, {
      view: (view) => view.listen("toolinput"),
    });
    await bridge.sendToolInputPartial({ arguments: { city: "Be" } });
    await bridge.sendToolInput({ arguments: { city: "Bern" } });
    await delivered();
    expect(await view.received()).toEqual([
      { event: "toolinput", params: { arguments: { city: "Bern" } } },
    ]);
    // Late, and never to act on: it is not kept as a complete input would be.
    await view.listen("toolinputpartial");
    await delivered();
    expect(await view.received()).toHaveLength(1);
  });

  test("ui/notifications/tool-input reaches handler and listeners, each once", async () => {
    const { bridge, view, delivered } = await mount(pairing, {
      view: async (view) => {
        await view.handle("toolinput");
        await view.listen("toolinput", "toolinput");
      },
    });
    await bridge.sendToolInput({ arguments: { city: "Bern" } });
    await delivered();
    const received = await view.received();
    expect(received.map(({ event }) => event)).toEqual(["ontoolinput", "toolinput", "toolinput"]);
    expect(received[0]?.params).toEqual({ arguments: { city: "Bern" } });
  });

  test("ui/notifications/tool-result arrives with content, structuredContent and _meta untouched", async () => {
    const result = {
      content: [text, { type: "image" as const, data: "AAAA", mimeType: "image/png" }],
      structuredContent: { hours: [{ at: 1, celsius: -3.5 }], none: null },
      _meta: { viewUUID: "v1", "vendor/trace": { id: 1 } },
      "vendor/extra": true,
    };
    const { bridge, view, delivered } = await mount(pairing, {
      view: (view) => view.handle("toolresult"),
    });
    await bridge.sendToolResult(result);
    await delivered();
    expect(await view.received()).toEqual([{ event: "ontoolresult", params: result }]);
  });

  test("ui/notifications/tool-result of a failed tool arrives with isError", async () => {
    const { bridge, view, delivered } = await mount(pairing, {
      view: (view) => view.listen("toolresult"),
    });
    await bridge.sendToolResult({ isError: true, content: [text] });
    await delivered();
    expect(await view.received()).toEqual([
      { event: "toolresult", params: { isError: true, content: [text] } },
    ]);
  });

  test("ui/notifications/tool-cancelled arrives with and without a reason", async () => {
    const { bridge, view, delivered } = await mount(pairing, {
      view: (view) => view.listen("toolcancelled"),
    });
    await bridge.sendToolCancelled({ reason: "user" });
    await bridge.sendToolCancelled({});
    await delivered();
    expect(await view.received()).toEqual([
      { event: "toolcancelled", params: { reason: "user" } },
      { event: "toolcancelled", params: {} },
    ]);
  });

  test("tool input and result sent before anyone listens reach a late listener, in order (VEW-27)", async () => {
    const { bridge, view, delivered } = await mount(pairing);
    await bridge.sendToolInput({ arguments: { city: "Bern" } });
    await bridge.sendToolResult({ content: [text] });
    await delivered();
    expect(await view.received()).toEqual([]);
    await view.listen("toolinput", "toolresult");
    await vi.waitFor(async () => expect(await view.received()).toHaveLength(2));
    expect((await view.received()).map(({ event }) => event)).toEqual(["toolinput", "toolresult"]);
  });

  test("tool input sent together with the handshake's answer is not lost (VEW-27)", async () => {
    const { bridge, view } = await mountUnconnected(pairing);
    bridge.addEventListener("initialized", () => {
      void bridge.sendToolInput({ arguments: { city: "Bern" } });
      void bridge.sendToolResult({ content: [text] });
    });
    await view.call("connect");
    await view.listen(...EVENTS);
    await vi.waitFor(async () => expect(await view.received()).toHaveLength(2));
  });

  test("ui/notifications/host-context-changed is merged and announced (VEW-12)", async () => {
    const { bridge, view, delivered } = await mount(pairing, {
      context: {
        theme: "light",
        locale: "de-CH",
        styles: {
          variables: { "--color-text-primary": "#111", "--font-sans": "Inter" } as never,
          css: { fonts: "@font-face{}" },
        },
      },
      view: (view) => view.listen("hostcontextchanged"),
    });
    const change = {
      theme: "dark" as const,
      styles: { variables: { "--color-text-primary": "#eee" } as never },
    };
    await bridge.sendHostContextChange(change);
    await delivered();
    expect(await view.received()).toEqual([{ event: "hostcontextchanged", params: change }]);
    expect(await view.call("getHostContext")).toEqual({
      theme: "dark",
      locale: "de-CH",
      styles: {
        variables: { "--color-text-primary": "#eee", "--font-sans": "Inter" },
        css: { fonts: "@font-face{}" },
      },
    });
  });

  test("ui/notifications/host-context-changed by setHostContext carries only what changed", async () => {
    const { bridge, view, delivered } = await mount(pairing, {
      context: { theme: "light", displayMode: "inline" },
      view: (view) => view.handle("hostcontextchanged"),
    });
    bridge.setHostContext({ theme: "light", displayMode: "fullscreen" });
    await delivered();
    expect(await view.received()).toEqual([
      { event: "onhostcontextchanged", params: { displayMode: "fullscreen" } },
    ]);
    expect(await view.call("getHostContext")).toEqual({
      theme: "light",
      displayMode: "fullscreen",
    });
  });

  test.each([
    ["notifications/tools/list_changed", "sendToolListChanged"],
    ["notifications/resources/list_changed", "sendResourceListChanged"],
    ["notifications/prompts/list_changed", "sendPromptListChanged"],
  ] as const)("%s of the server reaches app.peer.on", async (method, send) => {
    const { bridge, view, delivered } = await mount(pairing, {
      view: (view) => view.subscribe(method),
    });
    await bridge[send]();
    await delivered();
    expect((await view.received()).map(({ event }) => event)).toEqual([method]);
  });

  test("a notification nobody knows is ignored (VEW-28)", async () => {
    const { bridge, view, delivered } = await mount(pairing, {
      view: (view) => view.listen(...EVENTS),
    });
    await bridge.notification({ method: "vendor/unheard-of", params: {} });
    await delivered();
    expect(await view.received()).toEqual([]);
  });
});
