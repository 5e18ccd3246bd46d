import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLargeNumber, parseJson, parseSerialized } from "../../src/json-rpc/parse.ts";
import { serialize } from "../../src/json-rpc/serialize.ts";

describe("parseJson", () => {
  test("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test("keeps the digits of a number that a double can't hold", () => {
    for (const literal of ["12345678901234567890", "-9007199254740993", "1e400", "1.5E+999"]) {
      const value = parseJson(`{"a":[${literal}]}`) as { a: unknown[] };
      expect(isLargeNumber(value.a[0]), literal).toBe(true);
      expect(serialize(value)).toBe(`{"a":[${literal}]}`);
    }
  });

  test("leaves every other number a number", () => {
    for (const literal of ["9007199254740992", "1e300", "123456789012345680000", "1.0", "-0"]) {
      expect(parseJson(`[${literal}]`), literal).toEqual([Number(literal)]);
    }
    // Digits in text, and numbers that a key comes after.
    expect(parseJson('{"a":"12345678901234567890","1234567890123456":1}')).toEqual({
      a: "12345678901234567890",
      "1234567890123456": 1,
    });
  });

  test("rejects text that nests too deep or has too many containers", () => {
    expect(() => parseJson("[".repeat(257) + "]".repeat(257))).toThrow(SyntaxError);
    expect(() => parseJson(`[${"[],".repeat(1_000_000)}1]`)).toThrow(SyntaxError);
    expect(parseJson(`"${"[".repeat(1000)}\\"${"{".repeat(1000)}"`)).toBeTypeOf("string");
  });
});

describe("parseSerialized", () => {
  test("reads back what was serialized, large numbers included", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(serialize(parseSerialized(serialize(value)))).toBe(serialize(value));
      }),
    );
    expect(serialize(parseSerialized('{"a":12345678901234567890}'))).toBe(
      '{"a":12345678901234567890}',
    );
  });

  test("rejects text that it would write in another way", () => {
    for (const text of ['{"a":1,"a":2}', '{"\\u0061":1}', '{ "a":1}', '{"a":1.0}', "1"]) {
      expect(() => parseSerialized(text), text).toThrow(SyntaxError);
    }
  });
});

test("a serialized message is one line for every reader of lines", () => {
  const text = serialize({ a: "\u2028\u2029\n\r\u0085" });
  expect(text).toBe('{"a":"\\u2028\\u2029\\n\\r\u0085"}');
  expect(JSON.parse(text)).toEqual({ a: "\u2028\u2029\n\r\u0085" });
});
