import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { AppBridge } from "../src/bridge/bridge.ts";
import { connect, RawView, start, turn } from "./raw-view.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const PREFIX = "ui/notifications/tool-";
const names = (view: RawView): string[] =>
  view.methods
    .filter((method) => method.startsWith(PREFIX))
    .map((method) => method.slice(PREFIX.length));

describe("a tool's data", () => {
  test("input and result arrive as they were given (HST-43, HST-47)", async () => {
    const { view, bridge } = await start();
    const input = { arguments: { city: "Bern", deep: { list: [1, null] } } };
    const result = {
      content: [{ type: "text" as const, text: "12 °C" }],
      structuredContent: { celsius: 12 },
      isError: true,
      _meta: { viewUUID: "u", "weather/station": [7] },
      resultType: "complete",
    };
    await bridge.sendToolInput(input);
    await bridge.sendToolResult(result);
    await turn();
    expect(view.received.slice(-2)).toMatchObject([{ params: input }, { params: result }]);
    expect(view.received.at(-1)?.params).toEqual(result);
  });

  test("a result waits for its input, which is sent once (HST-44)", async () => {
    const { view, bridge, said } = await start();
    await bridge.sendToolResult({ content: [] });
    await turn();
    expect(names(view)).toEqual([]);
    await bridge.sendToolInput({ arguments: { a: 1 } });
    await bridge.sendToolInput({ arguments: { a: 2 } });
    await turn();
    expect(names(view)).toEqual(["input", "result"]);
    expect(view.all(`${PREFIX}input`)).toMatchObject([{ params: { arguments: { a: 1 } } }]);
    expect(said("order")).toEqual([expect.stringContaining("tool-input")]);
  });

  test("partial input comes frame by frame, the newest of each, and never after the input (HST-45, HST-46)", async () => {
    const { view, bridge } = await start();
    const frames: (() => void)[] = [];
    vi.stubGlobal("requestAnimationFrame", (frame: () => void) => frames.push(frame));
    const flush = async (): Promise<void> => {
      for (const frame of frames.splice(0)) frame();
      await turn();
    };
    for (const city of ["B", "Be", "Ber"])
      await bridge.sendToolInputPartial({ arguments: { city } });
    await turn();
    expect(names(view)).toEqual([]);
    await flush();
    await bridge.sendToolInputPartial({ arguments: { city: "Bern" } });
    await flush();
    await bridge.sendToolInputPartial({ arguments: { city: "Bern," } });
    await bridge.sendToolInput({ arguments: { city: "Bern, CH" } });
    await flush();
    await bridge.sendToolInputPartial({ arguments: { city: "late" } });
    await flush();
    expect(view.received.slice(1).map(({ params }) => params?.arguments)).toEqual([
      { city: "Ber" },
      { city: "Bern" },
      { city: "Bern, CH" },
    ]);
  });

  test("where there are no frames, a timer does", async () => {
    const { view, bridge } = await start();
    vi.useFakeTimers();
    await bridge.sendToolInputPartial({ arguments: {} });
    await vi.advanceTimersByTimeAsync(17);
    expect(names(view)).toEqual(["input-partial"]);
  });

  test("a cancellation is sent with its reason, before the input or after it (HST-48)", async () => {
    const before = await start();
    await before.bridge.sendToolCancelled({ reason: "stopped by the user" });
    await before.bridge.sendToolInput({});
    await turn();
    expect(names(before.view)).toEqual(["cancelled"]);
    expect(before.view.received.at(-1)?.params).toEqual({ reason: "stopped by the user" });
    const after = await start();
    await after.bridge.sendToolInput({});
    await after.bridge.sendToolCancelled({});
    await after.bridge.sendToolResult({ content: [] });
    await turn();
    expect(names(after.view)).toEqual(["input", "cancelled"]);
    expect(after.said("order")).toHaveLength(1);
  });

  test("both waiting for the handshake, input goes before cancellation", async () => {
    const { view, bridge } = await connect();
    await bridge.sendToolInput({ arguments: {} });
    await bridge.sendToolCancelled({});
    await view.start();
    expect(names(view)).toEqual(["input", "cancelled"]);
  });
});

describe("data that no View could read", () => {
  test("arguments that are none become none (official Views refuse null)", async () => {
    const { view, bridge, said } = await start();
    await bridge.sendToolInputPartial({ arguments: null as never });
    await bridge.sendToolInput({ arguments: ["a"] as never });
    await turn();
    expect(view.all(`${PREFIX}input`)).toMatchObject([{ params: {} }]);
    expect(said("left-out")).toHaveLength(1);
  });

  test("content of an unknown kind is left out, the rest arrives", async () => {
    const { view, bridge, said } = await start();
    await bridge.sendToolInput({});
    await bridge.sendToolResult({
      content: [{ type: "hologram", data: 1 } as never, { type: "text", text: "kept" }],
      structuredContent: { a: 1 },
      _meta: { b: 2 },
    });
    await turn();
    expect(view.received.at(-1)?.params).toEqual({
      content: [{ type: "text", text: "kept" }],
      structuredContent: { a: 1 },
      _meta: { b: 2 },
    });
    expect(said("left-out")).toHaveLength(1);
  });

  test.each([
    ["without content", {}, { content: [] }],
    ["that is nothing", null, { content: [] }],
    [
      "with a flag that is none",
      { content: [], isError: "no" },
      { isError: true, content: expect.any(Array) },
    ],
  ])("a result %s still ends the View's wait", async (_, given, expected) => {
    const { view, bridge } = await start();
    await bridge.sendToolInput({});
    await bridge.sendToolResult(given as never);
    await turn();
    expect(view.received.at(-1)).toMatchObject({ method: `${PREFIX}result`, params: expected });
  });

  test("a result too large to send is replaced by the reason", async () => {
    const { view, bridge, said } = await start();
    await bridge.sendToolInput({});
    await bridge.sendToolResult({
      content: [],
      structuredContent: { x: "y".repeat(11 * 2 ** 20) },
    });
    await turn();
    expect(view.received.at(-1)?.params).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringContaining("10485760") }],
    });
    expect(said("left-out")).toHaveLength(1);
  });

  test("functions, dates and cycles do not throw in the Host's hands", async () => {
    const { view, bridge } = await start();
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    await bridge.sendToolInput({ arguments: { when: new Date(0), what: () => {} } });
    await bridge.sendToolResult({ content: [], structuredContent: cycle });
    bridge.setHostContext({ "vendor/x": (() => {}) as never, theme: "dark" });
    await turn();
    expect(names(view)).toEqual(["input", "result"]);
  });
});

describe("any order of calls gives an order the specification has (HST-44, HST-46)", () => {
  const step = fc.constantFrom("partial", "input", "result", "cancelled", "frame", "start", "turn");
  type Step = "partial" | "input" | "result" | "cancelled" | "frame" | "start" | "turn";

  async function play(steps: Step[]): Promise<{ view: RawView; bridge: AppBridge }> {
    const frames: (() => void)[] = [];
    vi.stubGlobal("requestAnimationFrame", (frame: () => void) => frames.push(frame));
    const { AppBridge } = await import("../src/bridge/bridge.ts");
    const view = new RawView();
    const bridge = new AppBridge(null, { name: "h", version: "1" });
    await bridge.connect(view.hostEnd);
    const actions: Record<Step, () => unknown> = {
      partial: () => bridge.sendToolInputPartial({ arguments: { a: 1 } }),
      input: () => bridge.sendToolInput({ arguments: { a: 12 } }),
      result: () => bridge.sendToolResult({ content: [] }),
      cancelled: () => bridge.sendToolCancelled({}),
      frame: () => {
        for (const frame of frames.splice(0)) frame();
      },
      start: () => view.start(),
      turn,
    };
    for (const name of steps) void (name === "turn" ? await turn() : actions[name]());
    await turn();
    for (const frame of frames.splice(0)) frame();
    await turn();
    return { view, bridge };
  }

  test("whatever is called and whenever the View is ready", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const { view, bridge } = await play(steps);
        const letters = names(view).map((name) => (name === "input-partial" ? "P" : name[0]));
        expect(letters.join("")).toMatch(/^P*(i[rc]?|c)?$/);
        expect(view.illegal).toEqual([]);
        if (!steps.includes("start")) expect(view.received).toEqual([]);
        else {
          // Nothing is lost: what was given first of each kind arrives unless a cancellation came first.
          const cut = steps.indexOf("cancelled");
          const first = steps.indexOf("input");
          const isCut = cut >= 0 && cut < first;
          if (first >= 0 && !isCut) expect(letters).toContain("i");
          if (first >= 0 && !isCut && steps.some((it) => it === "result" || it === "cancelled")) {
            expect(letters.at(-1)).toMatch(/[rc]/);
          }
        }
        await bridge.close();
      }),
      { numRuns: 400 },
    );
  });
});
