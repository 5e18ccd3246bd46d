import { linkedChannels, Peer } from "@vitrine/protocol";
import { describe, expect, test } from "vitest";
import { openPeer, turn } from "./open-peer.ts";

describe("notifications", () => {
  test("reach every listener, and a throwing one does not silence the rest", async () => {
    const { peer, say, errors } = openPeer();
    const received: string[] = [];
    peer.on("n", () => {
      throw new Error("first");
    });
    peer.on("n", () => received.push("second"));
    say({ jsonrpc: "2.0", method: "n" });
    await turn();
    expect(received).toEqual(["second"]);
    expect(errors).toMatchObject([{ message: "first" }]);
  });

  test("without params, or with null in their place, have an empty object", async () => {
    const { peer, say, errors } = openPeer();
    const received: unknown[] = [];
    peer.on("n", (params) => received.push(params));
    say({ jsonrpc: "2.0", method: "n" });
    say({ jsonrpc: "2.0", method: "n", params: null });
    say({ jsonrpc: "2.0", method: "notifications/cancelled", params: null });
    say({ jsonrpc: "2.0", method: "notifications/progress", params: null });
    await turn();
    expect(received).toEqual([{}, {}]);
    expect(errors).toEqual([]);
  });

  test("stop at a listener's undo, and only for that one", async () => {
    const { peer, say } = openPeer();
    const received: string[] = [];
    const stop = peer.on("n", () => received.push("a"));
    peer.on("n", () => received.push("b"));
    stop();
    stop();
    say({ jsonrpc: "2.0", method: "n" });
    await turn();
    expect(received).toEqual(["b"]);
  });

  test("may remove listeners while they are delivered", async () => {
    const { peer, say } = openPeer();
    const received: string[] = [];
    const stopA = peer.on("n", () => {
      received.push("a");
      stopA();
    });
    peer.on("n", () => received.push("b"));
    say({ jsonrpc: "2.0", method: "n" });
    say({ jsonrpc: "2.0", method: "n" });
    await turn();
    expect(received).toEqual(["a", "b", "b"]);
  });

  test("that nobody listens to are dropped in silence (VEW-28)", async () => {
    const { sent, say, errors } = openPeer();
    say({ jsonrpc: "2.0", method: "unknown/notification", params: {} });
    await turn();
    expect(sent).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("can be renamed on the way in", async () => {
    const { peer, say } = openPeer({ intercept: (method) => method.replace("old/", "new/") });
    const received: unknown[] = [];
    peer.on("new/n", (params) => received.push(params));
    say({ jsonrpc: "2.0", method: "old/n", params: { x: 1 } });
    await turn();
    expect(received).toEqual([{ x: 1 }]);
  });
});

describe("kept notifications", () => {
  test("wait for the first listener, the newest of each, in order of arrival", async () => {
    const { peer, say } = openPeer({ keep: ["a", "b"] });
    say({ jsonrpc: "2.0", method: "a", params: { n: 1 } });
    say({ jsonrpc: "2.0", method: "b", params: { n: 2 } });
    say({ jsonrpc: "2.0", method: "a", params: { n: 3 } });
    await turn();
    const received: unknown[] = [];
    peer.on("a", (params) => received.push(params));
    peer.on("b", (params) => received.push(params));
    expect(received).toEqual([]);
    await turn();
    expect(received).toEqual([{ n: 2 }, { n: 3 }]);
  });

  test("go to all listeners of that moment, and to nobody a second time", async () => {
    const { peer, say } = openPeer({ keep: ["a"] });
    say({ jsonrpc: "2.0", method: "a" });
    await turn();
    const received: string[] = [];
    peer.on("a", () => received.push("first"));
    peer.on("a", () => received.push("second"));
    await turn();
    peer.on("a", () => received.push("late"));
    await turn();
    expect(received).toEqual(["first", "second"]);
  });

  test("are not kept once somebody listens", async () => {
    const { peer, say } = openPeer({ keep: ["a"] });
    const received: string[] = [];
    const stop = peer.on("a", () => received.push("first"));
    say({ jsonrpc: "2.0", method: "a" });
    await turn();
    stop();
    peer.on("a", () => received.push("second"));
    await turn();
    expect(received).toEqual(["first"]);
  });

  test("not asked for are not kept", async () => {
    const { peer, say } = openPeer({ keep: ["a"] });
    say({ jsonrpc: "2.0", method: "b" });
    await turn();
    const received: string[] = [];
    peer.on("b", () => received.push("b"));
    await turn();
    expect(received).toEqual([]);
  });
});

describe("closing", () => {
  test("rejects everything pending, aborts everything served, closes the channel, tells once", async () => {
    let closes = 0;
    const { peer, far, say } = openPeer({ onClose: () => closes++ });
    let aborted = false;
    let farClosed = false;
    far.onclose = () => {
      farClosed = true;
    };
    peer.handle("slow", (_params, { signal }) => {
      signal.addEventListener("abort", () => {
        aborted = true;
      });
      return new Promise(() => {});
    });
    say({ jsonrpc: "2.0", id: 9, method: "slow" });
    const answers = Promise.allSettled([peer.request("a"), peer.request("b")]);
    await turn();
    peer.close();
    peer.close();
    expect(
      (await answers).map((outcome) => (outcome as PromiseRejectedResult).reason.code),
    ).toEqual(["closed", "closed"]);
    expect({ aborted, farClosed, closes }).toEqual({ aborted: true, farClosed: true, closes: 1 });
  });

  test("by the other side is the same", async () => {
    let closes = 0;
    const { peer, far } = openPeer({ onClose: () => closes++ });
    const answer = peer.request("a");
    far.close();
    await expect(answer).rejects.toMatchObject({ code: "closed" });
    expect(closes).toBe(1);
  });

  test("does not keep handlers from serving the next channel", async () => {
    const { peer } = openPeer();
    peer.handle("m", () => "again");
    peer.close();
    const [near, far] = linkedChannels();
    const sent: unknown[] = [];
    far.onmessage = (message) => sent.push(message);
    peer.connect(near);
    far.send({ jsonrpc: "2.0", id: 1, method: "m" });
    await turn();
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, result: "again" }]);
  });

  test("lets no answer of the old channel out through the new one", async () => {
    const { peer, say } = openPeer();
    let release = (_value: string): void => {};
    peer.handle(
      "slow",
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    say({ jsonrpc: "2.0", id: 1, method: "slow" });
    await turn();
    const [near, far] = linkedChannels();
    const sent: unknown[] = [];
    far.onmessage = (message) => sent.push(message);
    peer.connect(near);
    release("old secret");
    await turn();
    expect(sent).toEqual([]);
  });

  test("of a channel that throws is still a close", () => {
    let closes = 0;
    const errors: unknown[] = [];
    const peer = new Peer({ onClose: () => closes++, onError: (error) => errors.push(error) });
    peer.connect({
      send: () => {},
      close: () => {
        throw new Error("already gone");
      },
    });
    peer.close();
    expect(closes).toBe(1);
    expect(errors).toMatchObject([{ message: "already gone" }]);
  });
});

test("two peers talk to each other, both ways at once", async () => {
  const [left, right] = linkedChannels();
  const alice = new Peer();
  const bob = new Peer();
  alice.handle("name", () => "alice");
  bob.handle("name", () => "bob");
  alice.connect(left);
  bob.connect(right);
  expect(await Promise.all([alice.request("name"), bob.request("name")])).toEqual(["bob", "alice"]);
});
