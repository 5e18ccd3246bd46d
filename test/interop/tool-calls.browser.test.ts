import { progressTokenOf, rpcFailure, signalOf } from "@vitrine/internal/official-bridge";
import { describe, expect, test, vi } from "vitest";
import { mount, PAIRINGS, UNDER } from "./mounted-view.ts";

const text = { type: "text" as const, text: "12 °C" };

describe.each(PAIRINGS)(UNDER, (pairing) => {
  test("tools/call reaches the bridge with its arguments and brings back the whole result", async () => {
    const result = {
      content: [text],
      structuredContent: { celsius: 12, hours: [1, 2, 3] },
      _meta: { "vendor/trace": "abc" },
    };
    const handler = vi.fn(async () => result);
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.oncalltool = handler;
      },
    });
    const params = { name: "weather", arguments: { city: "Bern", days: 3, deep: { a: [null] } } };
    expect(await view.call("callServerTool", params)).toMatchObject(result);
    expect(handler.mock.calls[0]?.at(0)).toMatchObject(params);
  });

  test("tools/call whose tool failed comes back as a result with isError", async () => {
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.oncalltool = async () => ({ isError: true, content: [text] });
      },
    });
    expect(await view.call("callServerTool", { name: "weather" })).toMatchObject({
      isError: true,
      content: [text],
    });
  });

  test("tools/call rejects with the JSON-RPC error that the host's handler threw", async () => {
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.oncalltool = async () => {
          throw rpcFailure(-32042, "The server is gone", { retry: true });
        };
      },
    });
    await expect(view.call("callServerTool", { name: "weather" })).rejects.toMatchObject({
      name: "RpcError",
      code: -32042,
      message: expect.stringContaining("The server is gone"),
    });
  });

  test("tools/call declined with -32000 rejects: only ui/ requests have isError of their own", async () => {
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.oncalltool = async () => {
          throw rpcFailure(-32000, "Not allowed");
        };
      },
    });
    await expect(view.call("callServerTool", { name: "weather" })).rejects.toMatchObject({
      code: -32000,
    });
  });

  test("tools/call called by position is refused in the View, which names the mistake", async () => {
    const { view, sent } = await mount(pairing);
    await expect(view.call("callServerTool", "weather", { city: "Bern" })).rejects.toMatchObject({
      code: "positional",
    });
    expect(sent()).not.toContain("tools/call");
  });

  test("notifications/progress of the host reaches onprogress, in order", async () => {
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.oncalltool = async (_params, extra) => {
          const progressToken = progressTokenOf(extra) as number;
          for (const progress of [1, 2]) {
            const params = { progressToken, progress, total: 2, message: `step ${progress}` };
            await bridge.notification({ method: "notifications/progress", params });
          }
          return { content: [] };
        };
      },
    });
    await view.begin("call", "callServerTool", { name: "slow" });
    expect((await view.ending("call"))?.progress).toMatchObject([
      { progress: 1, total: 2, message: "step 1" },
      { progress: 2, total: 2, message: "step 2" },
    ]);
  });

  test("notifications/progress restarts the timeout of tools/call", async () => {
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.oncalltool = async (_params, extra) => {
          const progressToken = progressTokenOf(extra) as number;
          for (let progress = 0; progress < 6; progress++) {
            await new Promise((resolve) => setTimeout(resolve, 150));
            const params = { progressToken, progress };
            await bridge.notification({ method: "notifications/progress", params });
          }
          return { content: [text] };
        };
      },
    });
    // Far less than the 900 ms that the call takes, far more than the pause between two reports.
    const options = { timeout: 600 };
    expect(await view.call("callServerTool", { name: "slow" }, options)).toMatchObject({
      content: [text],
    });
  });

  test("tools/call without an answer times out and tells the host so", async () => {
    const aborted = vi.fn();
    const { view, sent } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.oncalltool = (_params, extra) =>
          new Promise(() => signalOf(extra).addEventListener("abort", aborted));
      },
    });
    await expect(
      view.call("callServerTool", { name: "slow" }, { timeout: 50 }),
    ).rejects.toMatchObject({ name: "LocalError", code: "timeout" });
    await vi.waitFor(() => expect(aborted).toHaveBeenCalledOnce());
    expect(sent().at(-1)).toBe("notifications/cancelled");
  });

  test("notifications/cancelled reaches the host handler's signal when the View aborts", async () => {
    const reasons: unknown[] = [];
    const started = vi.fn();
    const { view, lines } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.oncalltool = (_params, extra) => {
          const signal = signalOf(extra);
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          started();
          return new Promise(() => {});
        };
      },
    });
    await view.begin("call", "callServerTool", { name: "slow" });
    await vi.waitFor(() => expect(started).toHaveBeenCalled());
    await view.abort("call", "the user left");
    expect((await view.ending("call"))?.error).toMatchObject({ message: "the user left" });
    await vi.waitFor(() => expect(reasons).toHaveLength(1));
    expect(`${reasons[0]}`).toContain("the user left");
    const call = lines.find(({ message }) => message.method === "tools/call");
    expect(lines.at(-1)?.message.params?.requestId).toBe(call?.message.id);
  });

  test("tools/call with an aborted signal sends nothing to the host", async () => {
    const { view, sent } = await mount(pairing);
    await view.begin("call", "callServerTool", { name: "x" }, { aborted: true });
    expect((await view.ending("call"))?.error).toMatchObject({ message: "never started" });
    await view.call("request", { method: "ping" });
    expect(sent()).toEqual(["ui/initialize", "ui/notifications/initialized", "ping"]);
  });

  test("tools/call many times at once: each answer finds its question", async () => {
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.oncalltool = async ({ name }) => {
          // Later calls are answered first.
          await new Promise((resolve) => setTimeout(resolve, 50 - Number(name) * 10));
          return { content: [{ type: "text", text: name }] };
        };
      },
    });
    const names = ["0", "1", "2", "3", "4"];
    const results = await Promise.all(names.map((name) => view.call("callServerTool", { name })));
    expect(results).toMatchObject(names.map((name) => ({ content: [{ text: name }] })));
  });

  test("tools/list is not known to the official bridge: our App rejects with -32601", async () => {
    const { view } = await mount(pairing, { capabilities: { serverTools: {} } });
    await expect(view.call("request", { method: "tools/list" })).rejects.toMatchObject({
      name: "RpcError",
      code: -32601,
    });
  });

  test("tools/list is answered by a host that adds the handler the bridge lacks", async () => {
    const tools = [{ name: "weather", inputSchema: { type: "object" } }];
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.fallbackRequestHandler = async () => ({ tools });
      },
    });
    expect(await view.call("request", { method: "tools/list", params: {} })).toMatchObject({
      tools,
    });
  });
});
