import { describe, expect, test } from "vitest";
import { clampSize, decideSize, LIMITS, limitsFor } from "../../src/apps/limits.ts";

const mebi = 2 ** 20;

describe("the limits of a message", () => {
  test.each([
    ["view", "tools/call", mebi],
    ["view", undefined, mebi],
    ["view", "constructor", mebi],
    ["view", "ui/download-file", 4 * mebi],
    ["view", "ui/open-link", 4096],
    ["view", "notifications/message", 8192],
    ["host", "ui/notifications/tool-result", 10 * mebi],
    ["host", "ui/open-link", 10 * mebi],
  ] as const)("of the %s named %s are %i characters", (from, method, size) => {
    expect(limitsFor(from, method)).toMatchObject({ depth: 64, size });
  });

  test("allow a message and tell its size", () => {
    const message = { jsonrpc: "2.0", method: "ping", id: 0 };
    const size = JSON.stringify(message).length;
    const decision = decideSize(message, LIMITS.fromView);
    expect(decision.allow && Math.abs(decision.size - size)).toBeLessThan(16);
  });

  const loop: Record<string, unknown> = {};
  loop.self = loop;
  test.each<[string, unknown, string, RegExp]>([
    [
      "too long a text",
      { params: "x".repeat(mebi) },
      "too-large",
      /^message\.params: needs at most 1048576 characters; send less/,
    ],
    [
      "too many values",
      { params: Array(100_001).fill(0) },
      "too-many-values",
      /at most 100000 values/,
    ],
    ["a cycle", loop, "too-deep", /^message\.self\.self.*at most 64 levels/],
    ["a function", { params: () => 1 }, "not-json", /a value JSON can carry/],
    [
      "a throwing getter",
      {
        get params() {
          throw new Error("boo");
        },
      },
      "unreadable",
      /without an exception/,
    ],
  ])("refuse %s", (_, message, code, reason) => {
    const decision = decideSize(message, LIMITS.fromView);
    expect(decision).toMatchObject({ allow: false, code });
    expect(decision.allow || decision.reason).toMatch(reason);
    expect(decision.allow || decision.reason.length).toBeLessThan(300);
  });
});

// HST-56
describe("a reported size", () => {
  test.each<[string, { width?: unknown; height?: unknown }, { width?: number; height?: number }]>([
    ["both axes", { width: 300, height: 200 }, { width: 300, height: 200 }],
    ["one axis", { height: 200 }, { height: 200 }],
    ["none", {}, {}],
    ["zero", { height: 0 }, { height: 0 }],
    ["fractions", { height: 10.5 }, { height: 10.5 }],
    ["NaN", { width: Number.NaN, height: 5 }, { height: 5 }],
    ["Infinity", { height: Number.POSITIVE_INFINITY }, {}],
    ["a negative number", { height: -1 }, {}],
    ["minus zero", { height: -0 }, { height: -0 }],
    ["a numeric string", { height: "200" }, {}],
    ["null", { height: null }, {}],
    ["an object with a value", { height: { valueOf: () => 5 } }, {}],
    ["a size bomb", { width: 1e9, height: Number.MAX_VALUE }, { width: 10_000, height: 10_000 }],
  ])("with %s is made harmless", (_, size, clamped) => {
    expect(clampSize(size)).toEqual(clamped);
  });

  test("stays in the Host's box", () => {
    const box = { maxWidth: 400, maxHeight: 600 };
    expect(clampSize({ width: 500, height: 500 }, box)).toEqual({ width: 400, height: 500 });
    expect(clampSize({ width: 500, height: 5000 }, { maxHeight: 600 })).toEqual({
      width: 500,
      height: 600,
    });
  });

  test("is limited even if the box is not", () => {
    expect(clampSize({ height: 1e9 }, { maxHeight: Number.POSITIVE_INFINITY })).toEqual({
      height: LIMITS.axis,
    });
  });
});
