import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPartialJson } from "../src/model/partial-json.ts";

describe("arguments that are still being written (HST-45)", () => {
  test.each([
    ["", {}],
    ["{", {}],
    ['{"ci', {}],
    ['{"city"', {}],
    ['{"city":', {}],
    ['{"city":"', { city: "" }],
    ['{"city":"Be', { city: "Be" }],
    ['{"city":"Bern\\', { city: "Bern" }],
    ['{"city":"Z\\u00fc', { city: "Zü" }],
    ['{"city":"Z\\u00f', { city: "Z" }],
    ['{"city":"Bern","days":3', { city: "Bern", days: 3 }],
    ['{"city":"Bern","days":3.', { city: "Bern", days: 3 }],
    ['{"days":-', {}],
    ['{"a":tr', {}],
    ['{"a":true', { a: true }],
    ['{"a":[1,2', { a: [1, 2] }],
    ['{"a":[{"b":"c', { a: [{ b: "c" }] }],
    ['{"a":{"b":{', { a: { b: {} } }],
    ['{"a":1,', { a: 1 }],
    ['{"a":"😀', { a: "😀" }],
    ['{"a":"\\ud83d', { a: "" }],
    ['{"__proto__":{"x":1},"b":2', { b: 2 }],
    ["[1,2", {}],
    ["not json", {}],
    ['{"a" 1}', {}],
    ["{a:1}", {}],
    ["{".repeat(5), {}],
    ['{"a":'.repeat(100), {}],
  ])("%j", (text, expected) => {
    expect(readPartialJson(text)).toEqual(expected);
  });

  test("every beginning of every object is an object, and all of it is the object", () => {
    const value = fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      fc.jsonValue({ maxDepth: 2 }),
      { maxKeys: 5 },
    );
    fc.assert(
      fc.property(value, fc.constantFrom(0, 1), (object, indent) => {
        const text = JSON.stringify(object, null, indent);
        for (let length = 0; length < text.length; length++) {
          const read = readPartialJson(text.slice(0, length));
          if (!Object.keys(read).every((key) => Object.hasOwn(object, key))) expect.fail(text);
        }
        // -0 is written as 0, and `__proto__` deeper down is left out.
        const whole = JSON.parse(text, (key, item) => (key === "__proto__" ? undefined : item));
        expect(readPartialJson(text)).toEqual(whole);
      }),
      { numRuns: 100 },
    );
  });

  test("what has been read stays while more is written", () => {
    const text = JSON.stringify({ a: "x", list: [1, { b: true }], end: null });
    let keys = 0;
    for (let length = 0; length <= text.length; length++) {
      const count = Object.keys(readPartialJson(text.slice(0, length))).length;
      expect(count).toBeGreaterThanOrEqual(keys);
      keys = count;
    }
    expect(keys).toBe(3);
  });
});
