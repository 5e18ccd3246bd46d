import { fuzzRuns } from "@vitrine/internal/fuzz-runs";
import { type Channel, Peer } from "@vitrine/protocol";
import { describe, expect, test } from "vitest";

// A hostile partner: a million messages of every broken kind. The peer must not throw into the
// channel, must not let a message reach a prototype, and must not grow.

const MESSAGES = fuzzRuns(200_000);

/** A small deterministic generator, so that a failure can be repeated. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

type Make = (random: () => number, n: number) => unknown;

const cyclic = (): Record<string, unknown> => {
  const object: Record<string, unknown> = { jsonrpc: "2.0" };
  object.params = object;
  object.self = object;
  return object;
};
const polluting = (): object =>
  JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
const ids: Make[] = [
  (_random, n) => n,
  () => 0,
  () => 1,
  () => -1,
  () => 1e308,
  () => Number.NaN,
  () => Number.POSITIVE_INFINITY,
  () => null,
  () => true,
  () => "1",
  () => "__proto__",
  () => "constructor",
  () => "x".repeat(2000),
  () => ({}),
  () => [],
  () => 2n ** 70n,
  (random) => Math.floor(random() * 5),
];
const methods: Make[] = [
  () => "__proto__",
  () => "constructor",
  () => "toString",
  () => "*",
  () => "",
  () => "echo",
  () => "throw",
  () => "received",
  () => "kept",
  () => "notifications/cancelled",
  () => "notifications/progress",
  () => "ui/initialize",
  () => 7,
  () => null,
  () => ({ toString: () => "echo" }),
  (_random, n) => `unknown/${n}`,
];
const params: Make[] = [
  () => undefined,
  () => null,
  () => 0,
  () => "text",
  () => [],
  () => ({}),
  polluting,
  cyclic,
  () => ({ requestId: 1, reason: polluting() }),
  () => ({ progressToken: 1, progress: Number.NaN }),
  () => ({ progressToken: "__proto__" }),
  () => ({
    get progressToken(): never {
      throw new Error("getter");
    },
  }),
];
const shapes: Make[] = [
  () => undefined,
  () => null,
  () => 42,
  () => Symbol("x"),
  () => () => {},
  () => "{",
  () => "null",
  () => '{"jsonrpc":"2.0","id":1,"result":{"__proto__":{"polluted":1}}}',
  () => [],
  () => [{ jsonrpc: "2.0", method: "echo", id: 1 }],
  cyclic,
  () =>
    new Proxy(
      {},
      {
        get: () => {
          throw new Error("proxy");
        },
      },
    ),
  () => Object.freeze({ jsonrpc: "2.0", method: "received" }),
  () => ({ jsonrpc: "1.0", id: 1, method: "echo" }),
];

const pick = (list: Make[], random: () => number, n: number): unknown =>
  list[Math.floor(random() * list.length)]?.(random, n);

function makeMessage(random: () => number, n: number): unknown {
  const kind = random();
  const id = pick(ids, random, n);
  if (kind < 0.2) return pick(shapes, random, n);
  if (kind < 0.5) {
    return {
      jsonrpc: "2.0",
      id,
      method: pick(methods, random, n),
      params: pick(params, random, n),
    };
  }
  if (kind < 0.7) {
    return { jsonrpc: "2.0", method: pick(methods, random, n), params: pick(params, random, n) };
  }
  if (kind < 0.85) return { jsonrpc: "2.0", id, result: pick(params, random, n) };
  return { jsonrpc: "2.0", id, error: pick(params, random, n) };
}

describe("a hostile partner", () => {
  test("cannot make the peer throw, pollute a prototype or grow, whatever it sends", {
    timeout: 600_000,
  }, async () => {
    const random = createRandom(20261115);
    let answers = 0;
    const channel: Channel = { send: () => answers++, close: () => {} };
    const peer = new Peer({ keep: ["kept"], onError: () => {} });
    let handled = 0;
    peer.handle("echo", (value) => {
      handled++;
      return value;
    });
    peer.handle("throw", () => {
      throw polluting();
    });
    peer.on("received", () => {
      throw new Error("listener");
    });
    peer.connect(channel);
    const receive = channel.onmessage as (message: unknown) => void;
    // One of our requests is always pending under id 1, as a target for forged responses.
    let settled = 0;
    const ask = (): void =>
      void peer.request("ask").then(
        () => settled++,
        () => settled++,
      );
    ask();

    const heap: number[] = [];
    for (let n = 0; n < MESSAGES; n++) {
      receive(makeMessage(random, n));
      if (n % 2000 === 0) await new Promise((resolve) => setImmediate(resolve));
      if (n % (MESSAGES / 10) === 0) {
        globalThis.gc?.();
        heap.push(process.memoryUsage().heapUsed);
      }
    }
    await new Promise((resolve) => setImmediate(resolve));

    expect(Object.prototype).not.toHaveProperty("polluted");
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(handled).toBeGreaterThan(1000);
    expect(answers).toBeGreaterThan(1000);
    expect(settled).toBe(1);
    // Flat: the last tenth holds no more than the second, but for the collector's own noise.
    const [, early = 0] = heap;
    const late = heap.at(-1) ?? 0;
    expect(late - early).toBeLessThan(24 * 1024 * 1024);

    // And it still works.
    peer.handle("echo", () => "alive");
    const [before] = [answers];
    receive({ jsonrpc: "2.0", id: "last", method: "echo" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(answers).toBe(before + 1);
    peer.close();
  });

  test("cannot make it throw even when our own error listener throws", () => {
    const channel: Channel = { send: () => {}, close: () => {} };
    const peer = new Peer({
      onError: () => {
        throw new Error("and this one too");
      },
    });
    peer.connect(channel);
    expect(() => channel.onmessage?.("{broken")).not.toThrow();
    expect(() =>
      channel.onmessage?.({ jsonrpc: "2.0", method: "notifications/progress", params: 7 }),
    ).not.toThrow();
    peer.close();
  });
});
