import { type OfficialBridge, rpcFailure } from "@vitrine/internal/official-bridge";
import { describe, expect, test, vi } from "vitest";
import { mount, PAIRINGS, type Setup, UNDER } from "./mounted-view.ts";

const text = { type: "text", text: "hello" };
const file = {
  type: "resource",
  resource: { uri: "file:///report.json", mimeType: "application/json", text: "{}" },
};
const link = { type: "resource_link", uri: "https://example.com/a.pdf", name: "a.pdf" };

/** Sets one handler of the bridge. */
function handling(name: keyof OfficialBridge, handler: unknown): Setup {
  return { bridge: (bridge) => Object.assign(bridge, { [name]: handler }) };
}

/** The requests that a host may decline: App method, wire method, bridge handler, params. */
const DECLINABLE = [
  ["openLink", "ui/open-link", "onopenlink", { url: "https://example.com/?q=1" }],
  ["sendMessage", "ui/message", "onmessage", { role: "user", content: [text] }],
  ["downloadFile", "ui/download-file", "ondownloadfile", { contents: [file, link] }],
] as const;

describe.each(PAIRINGS)(UNDER, (pairing) => {
  describe.each(DECLINABLE)("%s", (name, method, handlerName, params) => {
    test(`${method} reaches the bridge and its result comes back`, async () => {
      const handler = vi.fn(async () => ({ "vendor/ok": true }));
      const { view, sent } = await mount(pairing, handling(handlerName, handler));
      expect(await view.call(name, params)).toEqual({ "vendor/ok": true });
      expect(handler.mock.calls[0]?.at(0)).toEqual(params);
      expect(sent().at(-1)).toBe(method);
    });

    test(`${method} declined with isError is a result`, async () => {
      const { view } = await mount(
        pairing,
        handling(handlerName, async () => ({ isError: true })),
      );
      expect(await view.call(name, params)).toMatchObject({ isError: true });
    });

    test(`${method} declined with error -32000 reads like isError`, async () => {
      const decline = async (): Promise<never> => {
        throw rpcFailure(-32000, "The user said no");
      };
      const { view } = await mount(pairing, handling(handlerName, decline));
      expect(await view.call(name, params)).toMatchObject({
        isError: true,
        message: expect.stringContaining("The user said no"),
      });
    });

    test(`${method} rejects with the code when the host fails otherwise`, async () => {
      const fail = async (): Promise<never> => {
        throw rpcFailure(-32602, "Not like this");
      };
      const { view } = await mount(pairing, handling(handlerName, fail));
      await expect(view.call(name, params)).rejects.toMatchObject({
        name: "RpcError",
        code: -32602,
      });
    });

    test(`${method} rejects with -32601 on a host that does not handle it`, async () => {
      const { view } = await mount(pairing);
      await expect(view.call(name, params)).rejects.toMatchObject({
        name: "RpcError",
        code: -32601,
      });
    });
  });

  test("ui/open-link is also sent by the older name sendOpenLink", async () => {
    const handler = vi.fn(async () => ({}));
    const { view } = await mount(pairing, handling("onopenlink", handler));
    await view.call("sendOpenLink", { url: "https://example.com/" });
    expect(handler.mock.calls[0]?.at(0)).toEqual({ url: "https://example.com/" });
  });

  test("ui/message with a role other than user is refused by the bridge, and the call rejects", async () => {
    const { view } = await mount(
      pairing,
      handling("onmessage", async () => ({})),
    );
    const params = { role: "assistant", content: [text] };
    await expect(view.call("sendMessage", params)).rejects.toMatchObject({ name: "RpcError" });
  });

  test("ui/open-link called with a string is refused in the View, which names the mistake", async () => {
    const { view, sent } = await mount(
      pairing,
      handling("onopenlink", async () => ({})),
    );
    await expect(view.call("openLink", "https://example.com")).rejects.toMatchObject({
      code: "positional",
    });
    expect(sent()).not.toContain("ui/open-link");
  });

  test("ui/update-model-context reaches the bridge, and {} clears it (VEW-07)", async () => {
    const handler = vi.fn(async () => ({}));
    const { view } = await mount(pairing, handling("onupdatemodelcontext", handler));
    const update = { content: [text], structuredContent: { step: 2, nested: { list: [1, null] } } };
    expect(await view.call("updateModelContext", update)).toEqual({});
    expect(await view.call("updateModelContext", {})).toEqual({});
    expect(handler.mock.calls.map((call: unknown[]) => call[0])).toEqual([update, {}]);
  });

  test("ui/update-model-context refused with -32000 rejects: its result has no isError", async () => {
    const refuse = async (): Promise<never> => {
      throw rpcFailure(-32000, "Too long");
    };
    const { view } = await mount(pairing, handling("onupdatemodelcontext", refuse));
    await expect(view.call("updateModelContext", {})).rejects.toMatchObject({ code: -32000 });
  });

  test("ui/request-display-mode brings back the mode in force, whichever it is (VEW-05)", async () => {
    const handler = vi.fn(async () => ({ mode: "inline" }));
    const { view } = await mount(pairing, handling("onrequestdisplaymode", handler));
    expect(await view.call("requestDisplayMode", { mode: "fullscreen" })).toEqual({
      mode: "inline",
    });
    expect(handler.mock.calls[0]?.at(0)).toEqual({ mode: "fullscreen" });
  });

  test("ui/request-display-mode is answered by the bridge itself when nobody handles it", async () => {
    const context = { displayMode: "pip" as const, availableDisplayModes: ["pip" as const] };
    const { view } = await mount(pairing, { context });
    expect(await view.call("requestDisplayMode", { mode: "pip" })).toEqual({ mode: "pip" });
  });

  test("ui/request-display-mode for a mode the host does not offer stays in the View (VEW-04)", async () => {
    const context = { availableDisplayModes: ["inline" as const] };
    const { view, sent } = await mount(pairing, { context });
    await expect(view.call("requestDisplayMode", { mode: "pip" })).rejects.toMatchObject({
      code: "no-mode",
    });
    expect(sent()).not.toContain("ui/request-display-mode");
  });
});
