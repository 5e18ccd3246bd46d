import { describe, expect, test } from "vitest";
import {
  any,
  array,
  between,
  boolean,
  closed,
  defaulting,
  extend,
  literal,
  number,
  open,
  record,
  type Shape,
  string,
  tagged,
  text,
  tolerant,
  union,
} from "../../src/apps/shape.ts";
import { check } from "../../src/apps/shape-check.ts";

const person = closed({ name: string }, { age: number });
const integer: Shape = { is: "number", integer: true };
const even = text("an even word", (word) => word.length % 2 === 0);
const shapes = tagged("kind", {
  circle: closed({ kind: literal("circle"), r: number }),
  square: closed({ kind: literal("square"), side: number }),
});

describe("a strict check", () => {
  test.each<[string, Shape, unknown]>([
    ["any value", any, null],
    ["any nested value", any, { a: [1, { b: null }] }],
    ["a boolean", boolean, false],
    ["a string", string, ""],
    ["a string that passes its test", even, "ab"],
    ["a number", number, -1.5],
    ["a number at its lower bound", between(0, 1), 0],
    ["a number at its upper bound", between(0, 1), 1],
    ["an integer", integer, Number.MAX_SAFE_INTEGER],
    ["a literal", literal("a", "b"), "b"],
    ["an empty array", array(string), []],
    ["an array", array(string), ["a"]],
    ["an empty record", record(number), {}],
    ["a record", record(number), { a: 1 }],
    ["a record with limited keys", record(number, (key) => key === "a"), { a: 1 }],
    ["an object", person, { name: "n" }],
    ["an object with an optional key", person, { name: "n", age: 3 }],
    ["an open object with another key", open({ a: string }), { a: "", b: 1 }],
    ["an extended object", extend(person, { id: integer }), { name: "n", id: 1 }],
    ["a tagged object", shapes, { kind: "square", side: 2 }],
    ["one side of a union", union("a or b", string, number), 1],
    ["a default that is there", closed({ a: defaulting(number, () => 0) }), { a: 1 }],
    ["the strict side of a tolerant shape", tolerant(literal("a"), string), "a"],
  ])("accepts %s", (_, shape, value) => {
    expect(check(shape, value, true)).toBeUndefined();
  });

  test.each<[string, Shape, unknown, path: (string | number)[], expected: string]>([
    ["null for a boolean", boolean, null, [], "true or false"],
    ["a number for a string", string, 1, [], "a string"],
    ["a string that fails its test", even, "abc", [], "an even word"],
    ["NaN", number, Number.NaN, [], "a finite number"],
    ["Infinity", number, Number.POSITIVE_INFINITY, [], "a finite number"],
    ["a numeric string", number, "1", [], "a finite number"],
    ["a number out of bounds", between(0, 1), 1.01, [], "a finite number from 0 to 1"],
    ["a fraction for an integer", integer, 0.5, [], "an integer"],
    ["an unsafe integer", integer, 2 ** 53, [], "an integer"],
    ["an unknown literal", literal("a", "b"), "c", [], '"a" or "b"'],
    ["an object for an array", array(string), {}, [], "an array"],
    ["a wrong item", array(string), ["a", 1], [1], "a string"],
    ["an array for a record", record(any), [], [], "an object"],
    ["null for a record", record(any), null, [], "an object"],
    ["a wrong record value", record(number), { a: 1, b: "" }, ["b"], "a finite number"],
    [
      "a key outside a record's keys",
      record(any, (key) => key === "a"),
      { b: 1 },
      ["b"],
      "no such key",
    ],
    ["an array for an object", person, [], [], "an object"],
    ["a missing key", person, {}, ["name"], "a string"],
    ["a wrong optional key", person, { name: "n", age: "3" }, ["age"], "a finite number"],
    ["an unknown key", person, { name: "n", extra: 1 }, ["extra"], "no such key"],
    ["a missing key of any kind", closed({ a: any }), {}, ["a"], "a value"],
    ["a missing default", closed({ a: defaulting(number, () => 0) }), {}, ["a"], "a finite number"],
    ["an unknown tag", shapes, { kind: "oval" }, ["kind"], '"circle" or "square"'],
    ["a missing tag", shapes, {}, ["kind"], '"circle" or "square"'],
    [
      "an inherited name as a tag",
      shapes,
      { kind: "constructor" },
      ["kind"],
      '"circle" or "square"',
    ],
    ["a wrong value behind a tag", shapes, { kind: "circle", r: "" }, ["r"], "a finite number"],
    ["a string for a tagged object", shapes, "circle", [], "an object"],
    ["no side of a union", union("a or b", string, number), true, [], "a or b"],
    ["the lenient side of a tolerant shape", tolerant(literal("a"), string), "b", [], '"a"'],
    [
      "a deep mistake",
      closed({ list: array(person) }),
      { list: [{ name: "n" }, { name: 2 }] },
      ["list", 1, "name"],
      "a string",
    ],
  ])("rejects %s and reports the path", (_, shape, value, path, expected) => {
    expect(check(shape, value, true)).toMatchObject({ path, expected });
  });

  test("does not find required keys on the prototype", () => {
    const shape = closed({ toString: any });
    expect(check(shape, {}, true)).toMatchObject({ path: ["toString"] });
  });
});

describe("a lenient check", () => {
  test("ignores unknown keys, and keeps them", () => {
    const value = { name: "n", extra: 1 };
    expect(check(person, value, false)).toBeUndefined();
    expect(value).toEqual({ name: "n", extra: 1 });
    expect(
      check(
        record(any, () => false),
        { a: 1 },
        false,
      ),
    ).toBeUndefined();
  });

  test("fills in a fresh default", () => {
    const shape = closed({ list: defaulting(array(string), () => []) });
    const [first, second] = [{}, {}] as { list?: unknown }[];
    expect(check(shape, first, false)).toBeUndefined();
    expect(check(shape, second, false)).toBeUndefined();
    expect(first).toEqual({ list: [] });
    expect(first?.list).not.toBe(second?.list);
  });

  test("still checks a default that is there", () => {
    const shape = closed({ list: defaulting(array(string), () => []) });
    expect(check(shape, { list: null }, false)).toMatchObject({ path: ["list"] });
  });

  test("takes the lenient side of a tolerant shape", () => {
    expect(check(tolerant(literal("a"), string), "b", false)).toBeUndefined();
    expect(check(tolerant(literal("a"), string), 1, false)).toMatchObject({ expected: "a string" });
  });

  test("still wants required keys and right types", () => {
    expect(check(person, { extra: 1 }, false)).toMatchObject({ path: ["name"] });
    expect(check(person, { name: null }, false)).toMatchObject({ path: ["name"] });
  });
});

test("only objects can be extended", () => {
  expect(() => extend(string, {})).toThrow(TypeError);
});
