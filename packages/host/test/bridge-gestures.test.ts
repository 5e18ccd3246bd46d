import { afterEach, describe, expect, test, vi } from "vitest";
import type { AppBridge } from "../src/bridge/bridge.ts";
import type { AppBridgeOptions } from "../src/bridge/bridge-options.ts";
import type { ConsentRequest } from "../src/consent/consent.ts";
import { start } from "./raw-view.ts";
import { tool } from "./scripted-upstream.ts";

afterEach(() => vi.useRealTimers());

const message = { role: "user", content: [{ type: "text", text: "Done" }] };
const isSent = (result: object): boolean => !("isError" in result);

/** A view, a tool whose call a test ends, and the messages that were sent. */
async function setup(options: Partial<AppBridgeOptions> = {}) {
  const sent: unknown[] = [];
  const asked: ConsentRequest[] = [];
  const ends: (() => void)[] = [];
  const { view } = await start({
    prepare: (bridge: AppBridge) => {
      bridge.oncalltool = () => new Promise((resolve) => ends.push(() => resolve({ content: [] })));
      bridge.onlisttools = async () => ({ tools: [tool("book")] });
      bridge.onmessage = async (params) => {
        sent.push(params);
        return {};
      };
      bridge.onopenlink = async () => ({});
    },
    consent: (request: ConsentRequest) => {
      asked.push(request);
      return true;
    },
    ...options,
  });
  vi.useFakeTimers();
  /** Starts a call; `end` sends its result. */
  const call = async (isActive: boolean) => {
    view.userActive = isActive;
    const before = ends.length;
    const answer = view.get("tools/call", { name: "book", arguments: {} });
    await vi.waitFor(() => expect(ends.length).toBe(before + 1));
    view.userActive = false;
    return async () => {
      ends[before]?.();
      await answer;
    };
  };
  const send = async (isActive = false) => {
    view.userActive = isActive;
    return isSent(await view.get("ui/message", message));
  };
  const pass = (time: number) => vi.advanceTimersByTime(time);
  return { view, sent, asked, call, send, pass };
}

describe("a message after a tool call that a click started", () => {
  test("is sent, though the browser has forgotten the click", async () => {
    const { call, send, pass, asked } = await setup();
    const end = await call(true);
    pass(20_000);
    await end();
    pass(1500);
    expect(await send()).toBe(true);
    // Neither "you clicked" nor "it asks on its own".
    expect(asked.at(-1)).toMatchObject({ kind: "message", userActive: undefined });
  });

  test("is refused before the result, and after some time", async () => {
    const { call, send, pass } = await setup();
    const end = await call(true);
    pass(6000);
    expect(await send()).toBe(false);
    await end();
    pass(2001);
    expect(await send()).toBe(false);
  });

  test("is refused if the call took longer than a minute", async () => {
    const { call, send, pass } = await setup();
    const end = await call(true);
    pass(60_001);
    await end();
    expect(await send()).toBe(false);
  });

  test("is refused without a click, and if the call wasn't answered", async () => {
    const { view, call, send, sent } = await setup();
    const end = await call(false);
    await end();
    expect(await send()).toBe(false);
    view.userActive = true;
    await expect(view.get("tools/call", { name: "unknown" })).rejects.toThrow();
    expect(await send()).toBe(false);
    expect(sent).toEqual([]);
  });

  test("is one for each click, however many calls the click started", async () => {
    const { call, send, pass, sent } = await setup();
    const ends = [];
    for (let at = 0; at < 8; at++) ends.push(await call(true));
    pass(10_000);
    for (const end of ends) {
      await end();
      await send();
      pass(3000);
    }
    expect(sent).toHaveLength(1);
  });

  test("can't be chained by calls in the time after another call", async () => {
    const { call, send, pass, sent } = await setup();
    await (await call(true))();
    for (let at = 0; at < 10; at++) {
      const end = await call(false);
      pass(1900);
      await end();
      await send();
    }
    expect(sent).toHaveLength(1);
  });

  test.each(["before", "after"])(
    "isn't a second one for a click that sent one %s the call",
    async (when) => {
      const { call, send, pass, sent } = await setup();
      if (when === "before") await send(true);
      const end = await call(true);
      if (when === "after") await send(true);
      pass(10_000);
      await end();
      expect(await send()).toBe(false);
      expect(sent).toHaveLength(1);
    },
  );

  test("leaves the next click its own message", async () => {
    const { call, send, pass, sent } = await setup();
    const end = await call(true);
    pass(10_000);
    await end();
    expect(await send()).toBe(true);
    pass(1000);
    expect(await send(true)).toBe(true);
    expect(sent).toHaveLength(2);
  });

  test("doesn't open links or change the display mode", async () => {
    const { view, call } = await setup();
    await (await call(true))();
    const link = await view.get("ui/open-link", { url: "https://a.example" });
    expect(isSent(link)).toBe(false);
  });
});

describe("a product", () => {
  test("can turn the time after a call off, or change it within bounds", async () => {
    for (const [afterCall, waits, isAllowed] of [
      [0, 0, false],
      [5000, 4500, true],
      [60_000, 11_000, false],
    ] as const) {
      const { call, send, pass } = await setup({ gestures: { afterCall } });
      const end = await call(true);
      pass(10_000);
      await end();
      pass(waits);
      expect(await send(), `${afterCall}`).toBe(isAllowed);
      vi.useRealTimers();
    }
  });

  test("can choose which requests need a click", async () => {
    const { view, send } = await setup({ gestures: { for: ["link"] } });
    expect(await send()).toBe(true);
    view.userActive = false;
    expect(isSent(await view.get("ui/open-link", { url: "https://a.example" }))).toBe(false);
  });

  test("can require clicks where nobody can tell", async () => {
    const { view, sent } = await setup({ gestures: { required: true } });
    view.userActive = undefined;
    expect(isSent(await view.get("ui/message", message))).toBe(false);
    expect(sent).toEqual([]);
  });
});
