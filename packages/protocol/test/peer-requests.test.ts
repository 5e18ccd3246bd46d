import { type Channel, Peer, RpcError } from "@vitrine/protocol";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openPeer, turn } from "./open-peer.ts";

describe("requests", () => {
  test("carry method and params, and resolve with the result", async () => {
    const { peer, sent, say } = openPeer();
    const answer = peer.request("sum", { a: 1, b: 2 });
    await turn();
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, method: "sum", params: { a: 1, b: 2 } }]);
    say({ jsonrpc: "2.0", id: 1, result: 3 });
    expect(await answer).toBe(3);
  });

  test("start at id 1, because some hosts never answer an id that is falsy", async () => {
    const { peer, sent } = openPeer();
    peer.request("a").catch(() => {});
    peer.request("b").catch(() => {});
    await turn();
    expect(sent.map((message) => message.id)).toEqual([1, 2]);
  });

  test("without params send an empty object, never a member that is undefined", async () => {
    const { peer, sent } = openPeer();
    peer.request("a").catch(() => {});
    peer.notify("b");
    await turn();
    expect(sent.map(({ params }) => params)).toEqual([{}, {}]);
  });

  test("may be answered out of order", async () => {
    const { peer, say } = openPeer();
    const answers = Promise.all([peer.request("a"), peer.request("b")]);
    say({ jsonrpc: "2.0", id: 2, result: "second" });
    say({ jsonrpc: "2.0", id: 1, result: "first" });
    expect(await answers).toEqual(["first", "second"]);
  });

  test("reject with what the other side said", async () => {
    const { peer, say } = openPeer();
    const answer = peer.request("a");
    say({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32000, message: "Denied", data: { by: "user" } },
    });
    await expect(answer).rejects.toMatchObject({
      name: "RpcError",
      code: -32000,
      message: "Denied",
      data: { by: "user" },
    });
  });

  test.each([null, "text", 7, [], { code: "x" }])("survive the broken error %j", async (error) => {
    const { peer, say } = openPeer();
    const answer = peer.request("a");
    say({ jsonrpc: "2.0", id: 1, error });
    await expect(answer).rejects.toBeInstanceOf(RpcError);
  });

  test("are settled once: a second answer changes nothing", async () => {
    const { peer, say, errors } = openPeer();
    const answer = peer.request("a");
    say({ jsonrpc: "2.0", id: 1, result: "first" });
    say({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "second" } });
    expect(await answer).toBe("first");
    await turn();
    expect(errors).toEqual([]);
  });

  test("that cannot be sent reject with the channel's own reason", async () => {
    const refusing: Channel = {
      send: () => {
        throw new TypeError("function could not be cloned");
      },
      close: () => {},
    };
    const peer = new Peer();
    peer.connect(refusing);
    await expect(peer.request("a", { fn: () => {} })).rejects.toThrow("could not be cloned");
  });

  test("before connect reject as closed, and name the method", async () => {
    await expect(new Peer().request("tools/call")).rejects.toMatchObject({
      name: "LocalError",
      code: "closed",
      message: expect.stringContaining("tools/call"),
    });
    expect(() => new Peer().notify("n")).toThrow("closed");
  });

  test("accept an answer that came as text", async () => {
    const { peer, far } = openPeer();
    const answer = peer.request("a");
    far.send(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { big: true } }) as never);
    expect(await answer).toEqual({ big: true });
  });
});

describe("time", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const after = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

  test("a request times out after 60 seconds with the reason, and cancels on the other side", async () => {
    const { peer, sent } = openPeer();
    const answer = peer.request("slow");
    const rejected = expect(answer).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("slow"),
    });
    await after(59_999);
    expect(sent).toHaveLength(1);
    await after(2);
    await rejected;
    expect(sent[1]).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: 1, reason: expect.stringContaining("timeout") },
    });
  });

  test("progress restarts the timeout and reaches the caller", async () => {
    const { peer, sent, say } = openPeer();
    const seen: unknown[] = [];
    const answer = peer.request(
      "slow",
      { _meta: { own: 1 } },
      {
        timeout: 100,
        onprogress: (progress) => seen.push(progress),
      },
    );
    await after(0);
    expect(sent[0]).toMatchObject({ params: { _meta: { own: 1, progressToken: 1 } } });
    for (const progress of [1, 2, 3]) {
      await after(90);
      say({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: 1, progress, total: 3 },
      });
    }
    await after(90);
    say({ jsonrpc: "2.0", id: 1, result: "done" });
    await after(0);
    expect(await answer).toBe("done");
    expect(seen).toMatchObject([{ progress: 1 }, { progress: 2 }, { progress: 3 }]);
  });

  test("progress doesn't restart the timeout when the caller disables that", async () => {
    const { peer, say } = openPeer();
    const options = { timeout: 100, resetTimeoutOnProgress: false, onprogress: () => {} };
    const rejected = expect(peer.request("slow", {}, options)).rejects.toMatchObject({
      code: "timeout",
    });
    await after(90);
    say({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: 1, progress: 1 },
    });
    await after(20);
    await rejected;
  });

  test("an endless timeout is endless, not immediate as browsers would have it", async () => {
    const { peer, say } = openPeer();
    const answer = peer.request("slow", {}, { timeout: Number.POSITIVE_INFINITY });
    await after(2 ** 32);
    say({ jsonrpc: "2.0", id: 1, result: "at last" });
    await after(0);
    expect(await answer).toBe("at last");
  });

  test("a settled request leaves no timer behind", async () => {
    const { peer, say } = openPeer();
    const answer = peer.request("a");
    await after(0);
    say({ jsonrpc: "2.0", id: 1, result: {} });
    await after(0);
    await answer;
    expect(vi.getTimerCount()).toBe(0);
  });

  test("giving up on an initialisation is silent: it must not be cancelled (VEW-02)", async () => {
    const { peer, sent } = openPeer();
    const rejected = expect(peer.request("ui/initialize", {}, { timeout: 10 })).rejects.toThrow();
    await after(20);
    await rejected;
    expect(sent).toHaveLength(1);
  });
});

describe("an AbortSignal", () => {
  test("rejects with its own reason and tells the other side", async () => {
    const { peer, sent } = openPeer();
    const controller = new AbortController();
    const answer = peer.request("a", {}, { signal: controller.signal });
    controller.abort(new Error("user left"));
    await expect(answer).rejects.toThrow("user left");
    await turn();
    expect(sent[1]).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: 1, reason: expect.stringContaining("user left") },
    });
  });

  test("that fired before keeps the request from being sent", async () => {
    const { peer, sent } = openPeer();
    const answer = peer.request("a", {}, { signal: AbortSignal.abort() });
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
    await turn();
    expect(sent).toEqual([]);
  });

  test("that fires after the answer does nothing", async () => {
    const { peer, sent, say } = openPeer();
    const controller = new AbortController();
    const answer = peer.request("a", {}, { signal: controller.signal });
    say({ jsonrpc: "2.0", id: 1, result: "ok" });
    expect(await answer).toBe("ok");
    controller.abort();
    await turn();
    expect(sent).toHaveLength(1);
  });
});
