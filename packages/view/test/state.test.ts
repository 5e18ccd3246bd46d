import { turn } from "@vitrine/internal/scripted-host";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createState } from "../src/state.ts";
import { connectApp } from "./connect-app.ts";

const STATE = "vitrine/state";
const RESULT = "ui/notifications/tool-result";

/** The part of Storage that a page uses as an object; Node has none of its own. */
function stubStorage(): Record<string, string> {
  const storage: Record<string, string> = {};
  vi.stubGlobal("localStorage", storage);
  return storage;
}

afterEach(() => void vi.unstubAllGlobals());

describe("state that the Host keeps", () => {
  test("goes to the Host at each change, and comes back after a remount", async () => {
    const first = await connectApp({ hostCapabilities: { experimental: { [STATE]: {} } } });
    expect(first.app.state.get()).toBeUndefined();
    first.app.state.set({ tab: 2 });
    expect(first.app.state.get()).toEqual({ tab: 2 });
    await turn();
    const { value } = first.host.last(STATE)?.params ?? {};
    expect(value).toEqual({ tab: 2 });

    const second = await connectApp({
      hostCapabilities: { experimental: { [STATE]: {} } },
      hostContext: { [STATE]: value },
    });
    expect(second.app.state.get<{ tab: number }>()?.tab).toBe(2);
  });

  test("is not sent to a Host that does not offer it", async () => {
    const { app, host } = await connectApp();
    app.state.set({ tab: 2 });
    await turn();
    expect(host.all(STATE)).toEqual([]);
    expect(app.state.get()).toEqual({ tab: 2 });
  });

  test("set before the handshake wins over what the Host kept", async () => {
    const { app } = await connectApp(
      { hostContext: { [STATE]: "old" } },
      {
        prepare: (app) => app.state.set("new"),
      },
    );
    expect(app.state.get()).toBe("new");
  });
});

describe("state that the browser keeps", () => {
  let storage: Record<string, string>;
  beforeEach(() => {
    storage = stubStorage();
  });

  test("is found again under the viewUUID of the tool result, before its listener runs", async () => {
    const first = await connectApp();
    first.host.notify(RESULT, { content: [], _meta: { viewUUID: "u-1" } });
    await turn();
    first.app.state.set({ page: 3 });
    expect(storage["vitrine:u-1"]).toMatch(/^\d{13} {"page":3}$/);

    const second = await connectApp();
    const seen: unknown[] = [];
    second.app.ontoolresult = () => seen.push(second.app.state.get());
    second.host.notify(RESULT, { content: [], _meta: { viewUUID: "u-1" } });
    await turn();
    expect(seen).toEqual([{ page: 3 }]);
  });

  test("of another view instance is not seen", async () => {
    storage["vitrine:u-1"] = '1 "theirs"';
    const { app, host } = await connectApp();
    host.notify(RESULT, { content: [], _meta: { viewUUID: "u-2" } });
    await turn();
    expect(app.state.get()).toBeUndefined();
  });

  test("is not written while the Host keeps it", () => {
    const state = createState(() => true);
    state.identify("u-1");
    state.set(1);
    expect(storage).toEqual({});
  });

  test("that is not our JSON is ignored", () => {
    storage["vitrine:u-1"] = "{broken";
    const state = createState(() => false);
    state.identify("u-1");
    expect(state.get()).toBeUndefined();
  });

  test("that is longer than 64 KB is not kept, and neither is what was kept before", () => {
    const state = createState(() => false);
    state.identify("u-1");
    state.set("short");
    state.set("long".repeat(20_000));
    expect(storage).toEqual({});
    expect(state.get<string>()).toHaveLength(80_000);
  });

  test("of old conversations makes room: the 200 newest remain, and other keys are left alone", () => {
    storage.mine = "mine";
    for (let at = 0; at < 250; at++) storage[`vitrine:old-${at}`] = `${1e12 + at} 1`;
    const state = createState(() => false);
    state.identify("u-1");
    state.set(1);
    expect(Object.keys(storage)).toHaveLength(201);
    expect(storage).toMatchObject({ mine: "mine", "vitrine:old-249": `${1e12 + 249} 1` });
    expect(storage["vitrine:u-1"]).toBeDefined();
    expect(storage["vitrine:old-0"]).toBeUndefined();
  });
});

describe("ready", () => {
  const settled = async (ready: Promise<void>): Promise<boolean> => {
    let isSettled = false;
    void ready.then(() => {
      isSettled = true;
    });
    await turn();
    return isSettled;
  };

  test("comes with the connection if the Host keeps state", async () => {
    const { app } = await connectApp({ hostCapabilities: { experimental: { [STATE]: {} } } });
    expect(await settled(app.state.ready)).toBe(true);
  });

  test.each([
    [RESULT, { content: [] }],
    ["ui/notifications/tool-cancelled", { reason: "by the user" }],
    ["ui/notifications/tool-cancelled", undefined],
  ])("comes with %s in other Hosts", async (method, params) => {
    const { app, host } = await connectApp();
    expect(await settled(app.state.ready)).toBe(false);
    host.notify(method, params);
    expect(await settled(app.state.ready)).toBe(true);
  });
});

describe("without a place to keep it", () => {
  test("state stays in memory: an opaque origin throws at every touch of localStorage", () => {
    vi.stubGlobal(
      "localStorage",
      new Proxy(
        {},
        {
          get: () => {
            throw new DOMException("denied", "SecurityError");
          },
          set: () => {
            throw new DOMException("denied", "SecurityError");
          },
        },
      ),
    );
    const state = createState(() => false);
    state.identify("u-1");
    state.set({ x: 1 });
    expect(state.get()).toEqual({ x: 1 });
  });
});
