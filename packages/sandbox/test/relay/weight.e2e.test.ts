import { beforeAll, describe, expect, test, vi } from "vitest";
import { RELAY_LIMITS } from "../../src/relay/page-settings.ts";
import { createScales, weigh } from "../../src/relay/weight.ts";

beforeAll(() => vi.stubGlobal("WITHOUT", ""));

const MOST = { size: 1e6, values: 1e5 };
const size = (value: unknown): number => weigh(value, MOST).size;

describe("a value weighs", () => {
  test.each<[string, unknown, number]>([
    ["its characters", "x".repeat(1000), 1000],
    ["its keys and what they name", { ab: "cde", f: ["gh"] }, 8],
    ["the bytes of a buffer", new ArrayBuffer(5000), 5000],
    [
      "all of a buffer that it shows one byte of",
      new Uint8Array(new ArrayBuffer(5000), 7, 1),
      5000,
    ],
    ["the bytes of a blob", { a: [new Blob(["x".repeat(300)])] }, 301],
    ["keys and values of a map", new Map([["abc", new Set(["de"])]]), 5],
    ["the source of a pattern", /abcdef/, 6],
    ["a string in an object's shape", Object("x".repeat(50)), 50],
    ["the message of an error", Object.assign(new Error("x".repeat(400)), { stack: "" }), 400],
    ["nothing for numbers and the like", [1, true, null, undefined, 1n], 0],
  ])("%s", (_what, value, expected) => {
    expect(size(value)).toBe(expected);
  });

  test("a buffer once, however often it is named", () => {
    const buffer = new ArrayBuffer(1000);
    expect(size([buffer, buffer, new Uint8Array(buffer), new DataView(buffer)])).toBe(1000);
  });

  test("a string as often as it is there, because it is sent as often", () => {
    const text = "x".repeat(1000);
    expect(size([text, text])).toBe(2000);
  });

  test("as many values as it has at all depths, holes included", () => {
    expect(weigh({ a: [1, 2, { b: 3 }], c: new Map([[1, 2]]) }, MOST).values).toBe(
      1 + 2 + 3 + 1 + 3,
    );
    expect(weigh(new Array(50_000), MOST).values).toBe(50_001);
  });

  test("a large BigInt more than a small one", () => {
    expect(size(1n << 900_000n)).toBe(0);
    expect(size(-(1n << 1_000_000n))).toBe(MOST.size / 8);
  });
});

describe("the walk", () => {
  test("ends at a cycle, and does not take it for much", () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = [cycle, new Map([[cycle, cycle]])];
    expect(weigh(cycle, MOST).values).toBeLessThan(20);
  });

  test("has no trouble with any depth", () => {
    let deep: unknown[] = [];
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(weigh(deep, MOST).values).toBe(50_001);
  });

  test.each<[string, () => unknown]>([
    ["an array of 2³² − 1 holes", () => new Array(2 ** 32 - 1)],
    ["many keys", () => Object.fromEntries(new Array(2e5).fill(0).map((_, at) => [`k${at}`, 0]))],
    ["a million lists", () => new Array(1e6).fill(0).map(() => [])],
  ])("stops at the bound in %s", (_what, make) => {
    const value = make();
    const start = performance.now();
    expect(weigh(value, MOST).values).toBeGreaterThanOrEqual(MOST.values);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  test("does not throw, whatever it finds", () => {
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("trap");
        },
      },
    );
    expect(weigh(["x".repeat(10), hostile], MOST).values).toBe(3);
  });
});

describe("the scales", () => {
  const rpc = (params: unknown, method = "x"): object => ({ jsonrpc: "2.0", method, params });

  test("stop a View for one message of eight times the bound, and say how much that is", () => {
    const find = createScales(RELAY_LIMITS);
    expect(find("too-large", rpc("x".repeat(8 * 2 ** 20 - 99)))).toBeUndefined();
    expect(find("too-large", rpc("x".repeat(8 * 2 ** 20)))).toBe("a message of more than 8 MB");
    expect(find("not-json", rpc(new ArrayBuffer(8 * 2 ** 20)))).toBe("a message of more than 8 MB");
    expect(find("too-many-values", rpc(new Array(799_000).fill(0)))).toBeUndefined();
    expect(find("too-many-values", rpc(new Array(800_000).fill(0)))).toBe(
      "a message of more than 800000 values",
    );
  });

  test("have room for files in ui/download-file alone", () => {
    const find = createScales(RELAY_LIMITS);
    const file = "x".repeat(20 * 2 ** 20);
    expect(find("too-large", rpc(file, "ui/download-file"))).toBeUndefined();
    expect(find("too-large", rpc(file + file, "ui/download-file"))).toContain("32 MB");
  });

  test("weigh what is refused for any other reason too", () => {
    const find = createScales(RELAY_LIMITS);
    expect(find("not-json-rpc", "x".repeat(9 * 2 ** 20))).toContain("8 MB");
    expect(find("reserved-method", rpc("x".repeat(9 * 2 ** 20)))).toContain("8 MB");
  });

  test("forgive twenty messages that are too large or of no kind for JSON, and not one more", () => {
    const find = createScales(RELAY_LIMITS);
    const kinds = ["too-large", "too-many-values", "too-deep", "not-json"] as const;
    for (let round = 0; round < 5; round += 1) {
      for (const kind of kinds) expect(find(kind, rpc(1n))).toBeUndefined();
    }
    expect(find("not-json", rpc(1n))).toBe("more than 20 messages that cannot be relayed");
  });

  test("do not count what is refused at a glance", () => {
    const find = createScales({ ...RELAY_LIMITS, strikes: 0 });
    for (const kind of ["not-json-rpc", "reserved-method", "method-not-allowed"] as const) {
      expect(find(kind, rpc({}))).toBeUndefined();
    }
    expect(find("too-deep", rpc({}))).toContain("more than 0 messages");
  });
});
