import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { mount, PAIRINGS, UNDER } from "./mounted-view.ts";

const anything = z.looseObject({});

describe.each(PAIRINGS)(UNDER, (pairing) => {
  test("ui/resource-teardown is answered by a View without a handler (VEW-13)", async () => {
    const { bridge } = await mount(pairing);
    expect(await bridge.teardownResource({})).toEqual({});
  });

  test("ui/resource-teardown waits for the handler and brings back its answer (VEW-13)", async () => {
    const { bridge, view } = await mount(pairing, {
      view: (view) => view.answerTeardown({ "vendor/saved": true }, 60),
    });
    const before = performance.now();
    expect(await bridge.teardownResource({})).toEqual({ "vendor/saved": true });
    expect(performance.now() - before).toBeGreaterThanOrEqual(55);
    expect(await view.received()).toMatchObject([{ event: "onteardown" }]);
  });

  test("ui/resource-teardown whose handler throws is answered with an error, not with silence", async () => {
    const { bridge, view } = await mount(pairing, {
      view: async (view) => {
        await view.handleErrors();
        await view.answerTeardown({ throws: "disk full" });
      },
    });
    await expect(bridge.teardownResource({})).rejects.toMatchObject({ code: -32603 });
    // The reason stays in the View, which reports it.
    expect(await view.received()).toContainEqual({
      event: "onerror",
      params: expect.objectContaining({ message: "disk full" }),
    });
  });

  test("tools/list from the host brings back complete tools with JSON Schemas (VEW-18, VEW-21)", async () => {
    const { bridge } = await mount(pairing, { view: (view) => view.register("add", "whoami") });
    const { tools } = await bridge.listTools({});
    expect(tools).toMatchObject([
      {
        name: "add",
        title: "Add",
        description: "Adds two numbers",
        annotations: { readOnlyHint: true },
        _meta: { "vendor/icon": "plus" },
        inputSchema: {
          type: "object",
          properties: { a: { type: "number" }, b: { type: "number" } },
          required: ["a", "b"],
        },
        outputSchema: { type: "object", properties: { sum: { type: "number" } } },
      },
      { name: "whoami", inputSchema: { type: "object" } },
    ]);
  });

  test("tools/list from the host is empty for a View without tools", async () => {
    const { bridge } = await mount(pairing);
    expect(bridge.getAppCapabilities()?.tools).toBeUndefined();
    expect((await bridge.listTools({})).tools).toEqual([]);
  });

  test("tools/call from the host runs the tool and brings back its result (VEW-17)", async () => {
    const { bridge } = await mount(pairing, { view: (view) => view.register("add", "whoami") });
    expect(bridge.getAppCapabilities()?.tools).toEqual({ listChanged: true });
    expect(await bridge.callTool({ name: "add", arguments: { a: 2, b: 3 } })).toMatchObject({
      content: [{ type: "text", text: "5" }],
      structuredContent: { sum: 5 },
    });
    expect(await bridge.callTool({ name: "whoami" })).toMatchObject({
      content: [{ type: "text", text: "tools/call" }],
    });
  });

  test("tools/call with arguments that do not fit names the field (VEW-19)", async () => {
    const { bridge } = await mount(pairing, { view: (view) => view.register("add") });
    const call = bridge.callTool({ name: "add", arguments: { a: 2, b: "three" } });
    await expect(call).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('"b"'),
    });
  });

  test("tools/call of a tool that does not exist, or is disabled, is refused (VEW-19, VEW-22)", async () => {
    const { bridge, view } = await mount(pairing, { view: (view) => view.register("add") });
    await expect(bridge.callTool({ name: "subtract" })).rejects.toMatchObject({ code: -32602 });
    await view.change("add", "disable");
    const call = bridge.callTool({ name: "add", arguments: { a: 1, b: 1 } });
    await expect(call).rejects.toMatchObject({ code: -32602 });
  });

  test("tools/call whose callback throws is a result with isError (VEW-20)", async () => {
    const { bridge } = await mount(pairing, { view: (view) => view.register("fail") });
    expect(await bridge.callTool({ name: "fail" })).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringContaining("the board is full") }],
    });
  });

  test("tools/call whose output breaks its own schema does not pass for a success (VEW-20)", async () => {
    const { bridge } = await mount(pairing, { view: (view) => view.register("lie") });
    const result = await bridge.callTool({ name: "lie" });
    expect(result).toMatchObject({ isError: true });
    expect(result.structuredContent).toBeUndefined();
  });

  test("tools/call given up by the host aborts the callback's signal", async () => {
    const { bridge, view } = await mount(pairing, { view: (view) => view.register("wait") });
    const giveUp = new AbortController();
    const call = bridge.callTool({ name: "wait" }, { signal: giveUp.signal });
    call.catch(() => {});
    await vi.waitFor(async () =>
      expect(await view.received()).toEqual([{ event: "wait:started" }]),
    );
    giveUp.abort("enough");
    await expect(call).rejects.toThrow();
    await vi.waitFor(async () =>
      expect(await view.received()).toEqual([{ event: "wait:started" }, { event: "wait:aborted" }]),
    );
  });

  test("tools/list and tools/call can be answered by oncalltool and onlisttools instead", async () => {
    const { bridge } = await mount(pairing, {
      appCapabilities: { tools: {} },
      view: (view) => view.answerTools("draw"),
    });
    expect((await bridge.listTools({})).tools.map(({ name }) => name)).toEqual(["draw"]);
    expect(await bridge.callTool({ name: "draw", arguments: { x: 1 } })).toMatchObject({
      content: [{ text: 'draw {"x":1}' }],
    });
  });

  test("a method nobody knows is answered -32601 (VEW-28)", async () => {
    const { bridge } = await mount(pairing);
    const request = { method: "vendor/unheard-of", params: {} };
    await expect(bridge.request(request, anything)).rejects.toMatchObject({ code: -32601 });
  });

  test.each(["__proto__", "constructor", "toString"])(
    "a method called %s is answered -32601 as well",
    async (method) => {
      const { bridge } = await mount(pairing);
      await expect(bridge.request({ method, params: {} }, anything)).rejects.toMatchObject({
        code: -32601,
      });
    },
  );

  test("a method of the page's own is answered through app.peer.handle", async () => {
    const { bridge, view } = await mount(pairing);
    await view.serve("vendor/state", { open: true });
    expect(await bridge.request({ method: "vendor/state", params: {} }, anything)).toEqual({
      open: true,
    });
  });
});
