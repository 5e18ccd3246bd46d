import {
  type Channel,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  Peer,
  RpcError,
} from "@vitrine/protocol";
import { describe, expect, test } from "vitest";
import { openPeer, turn } from "./open-peer.ts";

describe("handlers", () => {
  test.each([0, 1, "text", "", -5, 2 ** 53])("answer a request with the id %j", async (id) => {
    const { peer, sent, say } = openPeer();
    peer.handle("echo", (params) => params);
    say({ jsonrpc: "2.0", id, method: "echo", params: { x: 1 } });
    await turn();
    expect(sent).toEqual([{ jsonrpc: "2.0", id, result: { x: 1 } }]);
  });

  test("that return nothing answer with an empty object", async () => {
    const { peer, sent, say } = openPeer();
    peer.handle("ping", () => {});
    say({ jsonrpc: "2.0", id: 1, method: "ping" });
    await turn();
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  });

  test("get an empty object where params are missing", async () => {
    const { peer, say } = openPeer();
    const seen: unknown[] = [];
    peer.handle("m", (params) => void seen.push(params));
    say({ jsonrpc: "2.0", id: 1, method: "m" });
    await turn();
    expect(seen).toEqual([{}]);
  });

  test("that nobody registered are method not found", async () => {
    const { sent, say } = openPeer();
    say({ jsonrpc: "2.0", id: 1, method: "nobody" });
    await turn();
    expect(sent[0]?.error).toMatchObject({ code: METHOD_NOT_FOUND });
  });

  test("under * answer what nothing else does", async () => {
    const { peer, sent, say } = openPeer();
    peer.handle("own", () => "own");
    peer.handle("*", (_params, { method }) => `any: ${method}`);
    say({ jsonrpc: "2.0", id: 1, method: "own" });
    say({ jsonrpc: "2.0", id: 2, method: "other" });
    await turn();
    expect(sent.map(({ result }) => result)).toEqual(["own", "any: other"]);
  });

  test("that throw an RpcError answer with it", async () => {
    const { peer, sent, say, errors } = openPeer();
    peer.handle("m", () => {
      throw new RpcError(INVALID_PARAMS, "no such thing", { at: "x" });
    });
    say({ jsonrpc: "2.0", id: 1, method: "m" });
    await turn();
    expect(sent[0]?.error).toEqual({
      code: INVALID_PARAMS,
      message: "no such thing",
      data: { at: "x" },
    });
    expect(errors).toEqual([]);
  });

  test.each([new Error("password is hunter2"), "text", null, undefined, { code: 7 }])(
    "that throw %o keep it to themselves",
    async (thrown) => {
      const { peer, sent, say, errors } = openPeer();
      peer.handle("m", () => {
        throw thrown;
      });
      say({ jsonrpc: "2.0", id: 1, method: "m" });
      await turn();
      expect(sent[0]?.error).toMatchObject({ code: INTERNAL_ERROR, message: "Internal error" });
      expect(JSON.stringify(sent)).not.toContain("hunter2");
      expect(errors).toEqual([thrown]);
    },
  );

  test("whose result cannot be sent answer with an internal error", async () => {
    const sent: Array<Record<string, unknown>> = [];
    const channel: Channel = {
      send: (message) => sent.push(structuredClone(message) as never),
      close: () => {},
    };
    const errors: unknown[] = [];
    const peer = new Peer({ onError: (error) => errors.push(error) });
    peer.connect(channel);
    peer.handle("m", () => ({ fn: () => {} }));
    channel.onmessage?.({ jsonrpc: "2.0", id: 1, method: "m" });
    await turn();
    expect(sent).toMatchObject([{ id: 1, error: { code: INTERNAL_ERROR } }]);
    expect(errors).toHaveLength(1);
  });

  test("can be replaced, and the last one counts", async () => {
    const { peer, sent, say } = openPeer();
    peer.handle("m", () => 1);
    peer.handle("m", () => 2);
    say({ jsonrpc: "2.0", id: 1, method: "m" });
    await turn();
    expect(sent[0]?.result).toBe(2);
  });

  test("see a cancellation in their signal, and then stay silent", async () => {
    const { peer, sent, say } = openPeer();
    let reason: unknown;
    peer.handle("slow", (_params, { signal }) => {
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          reason = signal.reason;
          resolve("too late");
        });
      });
    });
    say({ jsonrpc: "2.0", id: "x", method: "slow" });
    say({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: "x", reason: "changed my mind" },
    });
    await turn();
    expect(reason).toBe("changed my mind");
    expect(sent).toEqual([]);
  });

  test("serve a new request under the id of a cancelled one", async () => {
    const { peer, sent, say } = openPeer();
    peer.handle("slow", () => new Promise(() => {}));
    peer.handle("fast", () => "ok");
    say({ jsonrpc: "2.0", id: 1, method: "slow" });
    say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    say({ jsonrpc: "2.0", id: 1, method: "fast" });
    await turn();
    expect(sent).toMatchObject([{ id: 1, result: "ok" }]);
  });

  test("ignore a request whose id is still in use: an answer would settle the other one", async () => {
    const { peer, sent, say } = openPeer();
    let release = (_value: string): void => {};
    peer.handle(
      "slow",
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    say({ jsonrpc: "2.0", id: 1, method: "slow" });
    say({ jsonrpc: "2.0", id: 1, method: "nobody" });
    await turn();
    expect(sent).toEqual([]);
    release("done");
    await turn();
    expect(sent).toMatchObject([{ id: 1, result: "done" }]);
  });
});
