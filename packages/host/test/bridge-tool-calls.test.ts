import { RpcError } from "@vitrine/protocol";
import type { Tool } from "@vitrine/protocol/apps";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ConsentRequest } from "../src/consent/consent.ts";
import { callbacksUpstream } from "../src/upstreams/callbacks.ts";
import { start, turn } from "./raw-view.ts";
import { readOnly, scriptedUpstream, tool } from "./scripted-upstream.ts";

afterEach(() => vi.useRealTimers());

const only = (...visibility: string[]): Partial<Tool> => ({ _meta: { ui: { visibility } } });
const call = (name: string, args?: object): object => ({ name, arguments: args });

describe("a View's tools/call", () => {
  test("reaches its Server, and the result comes back whole", async () => {
    const result = {
      content: [{ type: "text", text: "12 °C" }],
      structuredContent: { celsius: 12 },
      _meta: { "weather/station": 7 },
      extra: [1],
    };
    const upstream = scriptedUpstream({ answer: () => result });
    const { view } = await start({ client: upstream });
    expect(await view.get("tools/call", call("look", { city: "Bern" }))).toEqual(result);
    expect(upstream.calls).toMatchObject([
      { params: { name: "look", arguments: { city: "Bern" } } },
    ]);
  });

  test('for a tool without "app" is refused, and the Server is not asked (HST-09)', async () => {
    const upstream = scriptedUpstream({ tools: [readOnly("purge", only("model"))] });
    const { view, said } = await start({ client: upstream });
    await expect(view.get("tools/call", call("purge"))).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining("_meta.ui.visibility"),
    });
    expect(upstream.calls).toEqual([]);
    expect(said("refused")).toEqual([expect.stringContaining('"purge"')]);
  });

  test("is allowed where visibility is omitted or names the app (HST-11)", async () => {
    const tools = [
      readOnly("both"),
      readOnly("app", only("app")),
      readOnly("all", only("model", "app")),
    ];
    const { view } = await start({ client: scriptedUpstream({ tools }) });
    for (const { name } of tools) {
      expect(await view.get("tools/call", call(name))).toHaveProperty("content");
    }
  });

  test.each([
    ["an empty list", []],
    ["a word for the list", "app"],
    ["null", null],
  ])(
    "is refused where visibility is %s: a restriction that is mistyped is one (HST-09)",
    async (_, visibility) => {
      const tools = [readOnly("odd", { _meta: { ui: { visibility } } })];
      const upstream = scriptedUpstream({ tools });
      const { view } = await start({ client: upstream });
      await expect(view.get("tools/call", call("odd"))).rejects.toMatchObject({ code: -32000 });
      expect(upstream.calls).toEqual([]);
    },
  );

  test("for a tool that its Server does not list is refused (HST-10)", async () => {
    const upstream = scriptedUpstream();
    const { view } = await start({ client: upstream });
    await expect(view.get("tools/call", call("elsewhere"))).rejects.toMatchObject({
      message: expect.stringContaining('no tool named "elsewhere"'),
    });
    expect(upstream.calls).toEqual([]);
  });

  test("through the connection of another Server is refused, and that one is asked nothing (HST-10)", async () => {
    const upstream = scriptedUpstream({ server: "bank" });
    const { view } = await start({ client: upstream, view: { key: "1", server: "weather" } });
    await expect(view.get("tools/call", call("look"))).rejects.toMatchObject({
      message: expect.stringContaining("another server"),
    });
    expect(await view.get("tools/list")).toEqual({ tools: [] });
    expect(upstream.reached).toEqual([]);
  });

  test("that the Server fails is answered with the Server's error", async () => {
    const upstream = scriptedUpstream({
      answer: () => {
        throw new RpcError(-32042, "no such city", { city: "Atlantis" });
      },
    });
    const { view, diagnostics } = await start({ client: upstream });
    const { error } = await view.ask("tools/call", call("look"));
    expect(error).toEqual({ code: -32042, message: "no such city", data: { city: "Atlantis" } });
    expect(diagnostics).toEqual([]);
  });

  test("that fails on the way is an internal error there and a diagnostic here", async () => {
    const upstream = scriptedUpstream({
      answer: () => {
        throw new TypeError("secret host name");
      },
    });
    const { view, diagnostics } = await start({ client: upstream });
    const { error } = await view.ask("tools/call", call("look"));
    expect(error).toEqual({ code: -32603, message: "Internal error" });
    expect(diagnostics).toMatchObject([
      { code: "listener", detail: "tools/call", cause: new TypeError("secret host name") },
    ]);
  });

  test("while the list of tools cannot be read is refused: nobody knows whom a tool is for", async () => {
    const upstream = scriptedUpstream();
    const { request } = upstream;
    upstream.request = async (method, ...rest) => {
      if (method === "tools/list") throw new Error("down");
      return request(method, ...rest);
    };
    const { view } = await start({ client: upstream, consent: () => true });
    await expect(view.get("tools/call", call("look"))).rejects.toMatchObject({ code: -32000 });
    expect(upstream.calls).toEqual([]);
  });
});

describe("consent for a tool (HST-14)", () => {
  test("is asked for with tool and arguments, unless the tool is declared read-only", async () => {
    const asked: ConsentRequest[] = [];
    const consent = (request: ConsentRequest): boolean => {
      asked.push(request);
      return true;
    };
    const upstream = scriptedUpstream({ tools: [readOnly("look"), tool("book")] });
    const { view } = await start({
      client: upstream,
      consent,
      view: { key: "7", server: "weather" },
    });
    await view.get("tools/call", call("look"));
    expect(asked).toEqual([]);
    view.userActive = true;
    await view.get("tools/call", call("book", { seat: 3 }));
    expect(asked).toMatchObject([
      {
        kind: "tool",
        tool: { name: "book" },
        arguments: { seat: 3 },
        view: { key: "7", server: "weather", appInfo: { name: "raw" } },
        userActive: true,
      },
    ]);
  });

  test.each([
    ["returns false", () => false],
    ["returns nothing", () => undefined as never],
    ["returns an invalid value", () => ({ allow: "yes" }) as never],
    [
      "throws",
      () => {
        throw new Error("no dialog");
      },
    ],
    ["rejects", () => Promise.reject(new Error("closed"))],
  ])("is denied by a callback that %s", async (_, consent) => {
    const upstream = scriptedUpstream({ tools: [tool("book")] });
    const { view, said } = await start({ client: upstream, consent });
    await expect(view.get("tools/call", call("book"))).rejects.toMatchObject({ code: -32000 });
    expect(upstream.calls).toEqual([]);
    expect(said("refused")).toHaveLength(1);
  });

  test("is denied without a callback, and the error names the option", async () => {
    const upstream = scriptedUpstream({ tools: [tool("book")] });
    const { view } = await start({ client: upstream });
    await expect(view.get("tools/call", call("book"))).rejects.toMatchObject({
      message: expect.stringContaining("option consent"),
    });
    expect(upstream.calls).toEqual([]);
  });

  test("given after the View gave up does not make the call", async () => {
    let allow: ((answer: boolean) => void) | undefined;
    let signal: AbortSignal | undefined;
    const upstream = scriptedUpstream({ tools: [tool("book")] });
    const { view } = await start({
      client: upstream,
      consent: (request) => {
        signal = request.signal;
        return new Promise((resolve) => {
          allow = resolve;
        });
      },
    });
    void view.ask("tools/call", call("book"), "late");
    await vi.waitFor(() => expect(allow).toBeDefined());
    view.notify("notifications/cancelled", { requestId: "late" });
    await turn();
    expect(signal?.aborted).toBe(true);
    allow?.(true);
    await turn();
    expect(upstream.calls).toEqual([]);
  });

  test("given after the bridge was closed does not make the call", async () => {
    let allow: ((answer: boolean) => void) | undefined;
    const upstream = scriptedUpstream({ tools: [tool("book")] });
    const { view, bridge } = await start({
      client: upstream,
      consent: () =>
        new Promise((resolve) => {
          allow = resolve;
        }),
    });
    void view.ask("tools/call", call("book"));
    await vi.waitFor(() => expect(allow).toBeDefined());
    await bridge.close();
    allow?.(true);
    await turn();
    expect(upstream.calls).toEqual([]);
  });
});

describe("a handler of the Host", () => {
  test("replaces the Server, not the policy", async () => {
    const oncalltool = vi.fn(async () => ({ content: [] }));
    const upstream = scriptedUpstream({
      tools: [readOnly("look"), readOnly("purge", only("model"))],
    });
    const { view, bridge } = await start({ client: upstream });
    bridge.oncalltool = oncalltool;
    await view.get("tools/call", { name: "look", arguments: {}, _meta: { progressToken: 1 } });
    expect(oncalltool).toHaveBeenCalledWith(
      { name: "look", arguments: {} },
      expect.objectContaining({
        signal: expect.any(AbortSignal),
        mcpReq: expect.objectContaining({ method: "tools/call", _meta: { progressToken: 1 } }),
      }),
    );
    await expect(view.get("tools/call", call("purge"))).rejects.toMatchObject({ code: -32000 });
    expect(oncalltool).toHaveBeenCalledTimes(1);
    expect(upstream.calls).toEqual([]);
  });

  test("can report progress through the request it serves", async () => {
    const { view } = await start({
      prepare: (bridge) => {
        bridge.onlisttools = () => ({ tools: [readOnly("look")] });
        bridge.oncalltool = async (_params, { mcpReq }) => {
          const progressToken = (mcpReq._meta as { progressToken: number }).progressToken;
          await mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress: 1 },
          });
          return { content: [] };
        };
      },
    });
    await view.get("tools/call", { name: "look", _meta: { progressToken: 9 } });
    expect(view.all("notifications/progress")).toMatchObject([{ params: { progressToken: 9 } }]);
  });

  test("with a list decides by that list, all pages of it", async () => {
    const { view } = await start({
      prepare: (bridge) => {
        bridge.oncalltool = ({ name }) => ({ content: [{ type: "text", text: name }] });
        bridge.onlisttools = (params) =>
          params?.cursor
            ? { tools: [readOnly("two")] }
            : { tools: [readOnly("one"), readOnly("hidden", only("model"))], nextCursor: "2" };
      },
    });
    expect(await view.get("tools/list")).toEqual({ tools: [readOnly("one"), readOnly("two")] });
    expect(await view.get("tools/call", call("two"))).toMatchObject({ content: [{ text: "two" }] });
    await expect(view.get("tools/call", call("hidden"))).rejects.toMatchObject({ code: -32000 });
    await expect(view.get("tools/call", call("three"))).rejects.toMatchObject({ code: -32000 });
  });

  test.each([
    ["a bare handler", () => ({ client: null })],
    [
      "a callback upstream",
      () => ({ client: callbacksUpstream({ server: "s", callTool: () => ({ content: [] }) }) }),
    ],
  ])("without any list is asked about by the bare name (%s)", async (_, client) => {
    const asked: unknown[] = [];
    const { view } = await start({
      ...client(),
      consent: ({ kind, ...rest }) => {
        asked.push([kind, (rest as { tool?: Tool }).tool?.name]);
        return true;
      },
      prepare: (bridge) => {
        bridge.oncalltool = () => ({ content: [] });
      },
    });
    await view.get("tools/call", call("anything"));
    expect(asked).toEqual([["tool", "anything"]]);
    await expect(view.get("tools/list")).rejects.toMatchObject({ code: -32601 });
  });
});
