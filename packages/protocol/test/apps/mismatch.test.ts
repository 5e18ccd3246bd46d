import { describe, expect, test } from "vitest";
import {
  describeLimit,
  describeMismatch,
  describeValue,
  formatPath,
  quote,
} from "../../src/apps/mismatch.ts";

describe("a path", () => {
  test.each<[(string | number)[], string]>([
    [[], "params"],
    [["content"], "params.content"],
    [["content", 0, "type"], "params.content[0].type"],
    [["_meta", "io.modelcontextprotocol/serverInfo"], 'params._meta["io.modelcontextprotocol/…"]'],
    [["$schema"], "params.$schema"],
    [["--font-sans"], 'params["--font-sans"]'],
    [[""], 'params[""]'],
    [["a b"], 'params["a b"]'],
    [["a\n]"], 'params["a\\n]"]'],
    [['"'], 'params["\\""]'],
    [["k".repeat(40)], `params.${"k".repeat(40)}`],
    [["k".repeat(41)], `params["${"k".repeat(24)}…"]`],
  ])("reads like JavaScript: %j", (steps, path) => {
    expect(formatPath("params", steps)).toBe(path);
  });

  test("ends somewhere", () => {
    const path = formatPath("params", Array(100).fill("deeper"));
    expect(path).toHaveLength(161);
    expect(path.endsWith("…")).toBe(true);
  });
});

describe("a value in words", () => {
  test.each<[unknown, string]>([
    [undefined, "nothing"],
    [null, "null"],
    [true, "true"],
    [false, "false"],
    [0, "the number 0"],
    [Number.NaN, "the number NaN"],
    ["", 'the string ""'],
    ["short", 'the string "short"'],
    ['with "quotes"', 'the string "with \\"quotes\\""'],
    ["line\nbreak", 'the string "line\\nbreak"'],
    ["x".repeat(24), `the string "${"x".repeat(24)}"`],
    ["x".repeat(25), "a string of 25 characters"],
    [[1, 2], "an array"],
    [{ secret: 1 }, "an object"],
    [() => 1, "a function"],
    [1n, "a bigint"],
    [Symbol("s"), "a symbol"],
  ])("tells little: %o", (value, words) => {
    expect(describeValue(value)).toBe(words);
  });

  test("is quoted up to a length", () => {
    expect(quote("x".repeat(30))).toBe(`"${"x".repeat(24)}…"`);
    expect(quote("x".repeat(30), 64)).toBe(`"${"x".repeat(30)}"`);
    expect(quote('"')).toBe('"\\""');
  });
});

test.each([
  ["too-deep", "at most 1 levels, and no cycles"],
  ["too-many-values", "at most 2 values"],
  ["too-large", "at most 3 characters"],
  ["not-json", "a value JSON can carry"],
  ["unreadable", "a value that can be read without an exception"],
] as const)("the limit %s is named", (code, words) => {
  expect(describeLimit(code, { depth: 1, values: 2, size: 3 })).toBe(words);
});

test("a mismatch is one sentence", () => {
  const mismatch = { ok: false, path: "params.a", expected: "a string", received: "null" } as const;
  expect(describeMismatch(mismatch)).toBe("params.a: expected a string, received null");
});
