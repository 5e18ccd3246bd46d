import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
  InMemoryTransport as InMemory2,
} from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as InMemory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import {
  serveStation2,
  station2,
  stationServer1,
  stationServer2,
} from "@vitrine/internal/station-servers";
import { STATION_VIEW } from "@vitrine/internal/weather-station";
import { AppBridge } from "ext-apps-v2/app-bridge";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { mcpClientUpstream } from "../src/upstreams/mcp-client.ts";

const info = { name: "host", version: "1.0.0" };
const server = "ours";

async function inMemory() {
  const client = new Client2(info);
  const station = station2();
  const stationServer = stationServer2(station);
  const [here, there] = InMemory2.createLinkedPair();
  await Promise.all([stationServer.connect(there), client.connect(here)]);
  onTestFinished(() => client.close());
  const change = () => stationServer.notification({ method: "notifications/tools/list_changed" });
  return { client, station, stationServer, change };
}

async function overHttp() {
  const served = await serveStation2();
  const client = new Client2(info, { versionNegotiation: { mode: "auto" } });
  await client.connect(new Http2(served.url));
  onTestFinished(async () => {
    await client.close();
    await served[Symbol.asyncDispose]();
  });
  return { client, served };
}

describe("list changes", () => {
  test("the Host's own handler for a list stays, and both are called", async () => {
    const { client, change } = await inMemory();
    const own = vi.fn();
    client.setNotificationHandler("notifications/tools/list_changed", own);
    const received = vi.fn();
    mcpClientUpstream(client, { server }).onListChanged(received);
    await change();
    await vi.waitFor(() =>
      expect([own.mock.calls.length, received.mock.calls]).toEqual([1, [["tools"]]]),
    );
  });

  test("an official bridge that replaces the client's handlers doesn't remove our listener", async () => {
    const { client, change } = await inMemory();
    const received = vi.fn();
    mcpClientUpstream(client, { server }).onListChanged(received);
    const bridge = new AppBridge(client as never, info, { serverTools: { listChanged: true } });
    const [here] = InMemory2.createLinkedPair();
    await bridge.connect(here as never);
    await change();
    await vi.waitFor(() => expect(received).toHaveBeenCalledTimes(1));
  });

  test("notifies each upstream of a shared client once, and restores the transport after the last one unsubscribes", async () => {
    const { client, change } = await inMemory();
    const before = client.transport?.onmessage;
    const received: string[] = [];
    const undos = ["a", "b"].map((name) =>
      mcpClientUpstream(client, { server: name }).onListChanged((list) =>
        received.push(name + list),
      ),
    );
    await change();
    await vi.waitFor(() => expect(received).toEqual(["atools", "btools"]));
    undos[0]?.();
    expect(client.transport?.onmessage).not.toBe(before);
    undos[1]?.();
    expect(client.transport?.onmessage).toBe(before);
  });

  test("a tap that someone put over ours stays in place, and listening again taps nothing twice", async () => {
    const { client, change } = await inMemory();
    const upstream = mcpClientUpstream(client, { server });
    const undo = upstream.onListChanged(() => {});
    const transport = client.transport as InMemory2;
    const ours = transport.onmessage;
    const theirs: typeof ours = (message, extra) => ours?.(message, extra);
    transport.onmessage = theirs;
    undo();
    expect(transport.onmessage).toBe(theirs);
    const received = vi.fn();
    upstream.onListChanged(received);
    await change();
    await vi.waitFor(() => expect(received).toHaveBeenCalled());
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(received).toHaveBeenCalledTimes(1);
  });

  test("a listener that throws harms neither the client nor the other listeners", async () => {
    const { client, change } = await inMemory();
    const upstream = mcpClientUpstream(client, { server });
    const thrown: unknown[] = [];
    const note = (error: unknown): void => void thrown.push(error);
    // Vitest counts an uncaught error as a failure, so its own listeners step aside.
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException").on("uncaughtException", note);
    onTestFinished(() => {
      process.removeAllListeners("uncaughtException");
      for (const other of others) process.on("uncaughtException", other);
    });
    upstream.onListChanged(() => {
      throw new Error("mine");
    });
    const received = vi.fn();
    upstream.onListChanged(received);
    await change();
    await vi.waitFor(() => expect(received).toHaveBeenCalledTimes(1));
    expect(await upstream.request("prompts/list", {})).toHaveProperty("prompts");
    expect(thrown).toHaveLength(1);
  });

  test("notifies again after the next request of a client that reconnected", async () => {
    const { client } = await inMemory();
    const upstream = mcpClientUpstream(client, { server });
    const received = vi.fn();
    upstream.onListChanged(received);
    await client.close();
    const [here, there] = InMemory2.createLinkedPair();
    const again = stationServer2(station2());
    await Promise.all([again.connect(there), client.connect(here)]);
    await upstream.request("prompts/list", {});
    await again.notification({ method: "notifications/prompts/list_changed" });
    await vi.waitFor(() => expect(received.mock.calls).toEqual([["prompts"]]));
  });

  test("an upstream may be made before its client is connected", async () => {
    const client = new Client2(info);
    const upstream = mcpClientUpstream(client, { server });
    const received = vi.fn();
    upstream.onListChanged(received);
    expect(upstream.capabilities).toEqual({});
    const [here, there] = InMemory2.createLinkedPair();
    const late = stationServer2(station2());
    await Promise.all([late.connect(there), client.connect(here)]);
    expect(upstream.capabilities).toHaveProperty("tools");
    await upstream.request("prompts/list", {});
    await late.notification({ method: "notifications/tools/list_changed" });
    await vi.waitFor(() => expect(received).toHaveBeenCalledTimes(1));
  });

  test("a stream of 2026-07-28 that breaks is opened again, and every list counts as changed", async () => {
    const { client, served } = await overHttp();
    const upstream = mcpClientUpstream(client, { server });
    const received: string[] = [];
    upstream.onListChanged((list) => received.push(list));
    const announce = () =>
      upstream.request("tools/call", { name: "change", arguments: { list: "tools" } });
    await vi.waitFor(async () => {
      await announce();
      expect(received).toContain("tools");
    });
    received.length = 0;
    served.drop();
    const lists = new Set(["tools", "resources", "prompts"]);
    await vi.waitFor(() => expect(new Set(received)).toEqual(lists), 4000);
    received.length = 0;
    await announce();
    await vi.waitFor(() => expect(received).toEqual(["tools"]));
  });

  test.each([
    ["refuses to", () => Promise.reject(new Error("no"))],
    ["will not tell of any list", async () => ({ honoredFilter: {}, closed: Promise.resolve() })],
  ])("a Server of 2026-07-28 that %s is asked once", async (_, answer) => {
    const { client } = await overHttp();
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const listen = vi.spyOn(client, "listen").mockImplementation(answer as never);
    mcpClientUpstream(client, { server }).onListChanged(() => {});
    await vi.waitFor(() => expect(listen).toHaveBeenCalled());
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(listen).toHaveBeenCalledTimes(1);
  });

  test("nobody listens, nothing is subscribed: the last undo closes the stream", async () => {
    const { client } = await overHttp();
    const listen = vi.spyOn(client, "listen");
    const upstream = mcpClientUpstream(client, { server });
    await upstream.request("prompts/list", {});
    expect(listen).not.toHaveBeenCalled();
    const undo = upstream.onListChanged(() => {});
    await vi.waitFor(() => expect(listen).toHaveBeenCalledTimes(1));
    const subscription = await listen.mock.results[0]?.value;
    undo();
    expect(await subscription?.closed).toBe("local");
  });
});

describe("requests", () => {
  test("a method that the Server does not know is its answer, even as HTTP 404", async () => {
    const { client } = await overHttp();
    const upstream = mcpClientUpstream(client, { server });
    const asked = upstream.request("completion/none" as never, {} as never);
    await expect(asked).rejects.toMatchObject({ name: "RpcError", code: -32601 });
  });

  test("a session that the Server has forgotten isn't reported as a response of the Server", async () => {
    const { client, served } = await overHttp();
    const upstream = mcpClientUpstream(client, { server });
    const error = { code: -32001, message: "Session not found" };
    const forgotten = JSON.stringify({ jsonrpc: "2.0", id: null, error });
    const fetching = vi.spyOn(globalThis, "fetch");
    onTestFinished(() => fetching.mockRestore());
    fetching.mockResolvedValue(new Response(forgotten, { status: 404 }));
    const thrown = await upstream.request("prompts/list", {}).catch((reason) => reason);
    expect(thrown).toBeInstanceOf(Error);
    expect(thrown.name).not.toBe("RpcError");
    expect(served.clients).toEqual([]);
  });

  test("an unreachable Server isn't reported as a response of the Server", async () => {
    const { client, served } = await overHttp();
    const upstream = mcpClientUpstream(client, { server });
    await served[Symbol.asyncDispose]();
    const error = await upstream.request("prompts/list", {}).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).not.toBe("RpcError");
  });

  test.each(["v1", "v2"])(
    "a closed connection of client %s isn't reported as a response of the Server",
    async (v) => {
      const client = v === "v1" ? new Client1(info) : new Client2(info);
      const [here, there] = (v === "v1" ? InMemory1 : InMemory2).createLinkedPair();
      const far = v === "v1" ? stationServer1().server : stationServer2(station2());
      await Promise.all([far.connect(there as never), client.connect(here as never)]);
      const upstream = mcpClientUpstream(client, { server });
      const pending = upstream.request("tools/call", { name: "slow", arguments: { id: "x" } });
      const failed = pending.catch((thrown) => thrown);
      await client.close();
      expect((await failed).name).not.toBe("RpcError");
    },
  );

  test.each(["v1", "v2"])(
    "client %s passes on a result that its own schemas would refuse",
    async (v) => {
      const client = v === "v1" ? new Client1(info) : new Client2(info);
      const [here, there] = InMemory2.createLinkedPair();
      const odd = { content: [{ type: "hologram", shape: "cube" }], more: [1] };
      // A hand-written server of a later specification: the official ones send only what they know.
      there.onmessage = (message) => {
        const { id, method, params } = message as { id: number; method: string; params: object };
        if (id === undefined) return;
        const { protocolVersion } = params as { protocolVersion: string };
        const welcome = { protocolVersion, capabilities: { tools: {} }, serverInfo: info };
        const result = method === "initialize" ? welcome : odd;
        void there.send({ jsonrpc: "2.0", id, result } as never);
      };
      await there.start();
      await client.connect(here as never);
      const upstream = mcpClientUpstream(client, { server });
      expect(await upstream.request("tools/call", { name: "any" })).toEqual(odd);
      expect(await upstream.request("resources/read", { uri: STATION_VIEW })).toEqual(odd);
      await client.close();
    },
  );

  test("a call may take longer than the client's own limit of a minute", async () => {
    const { client } = await inMemory();
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const controller = new AbortController();
    const { signal } = controller;
    const pending = mcpClientUpstream(client, { server }).request(
      "tools/call",
      { name: "slow", arguments: { id: "patience" } },
      { signal },
    );
    const settled = vi.fn();
    pending.then(settled, settled);
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(settled).not.toHaveBeenCalled();
    controller.abort(new Error("enough"));
    await expect(pending).rejects.toThrow("enough");
  });
});
