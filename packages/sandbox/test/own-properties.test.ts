import { expect, test } from "vitest";
import { isRecord, ownItems, ownKeys, ownValue } from "../src/own-properties.ts";

function explode(): never {
  throw new Error("it ran");
}

const revoked = Proxy.revocable({}, {});
revoked.revoke();

test("a value is read from own data properties alone", () => {
  expect(ownValue({ a: 1 }, "a")).toBe(1);
  expect(ownValue(Object.create({ a: 1 }), "a")).toBeUndefined();
  expect(ownValue(Object.defineProperty({}, "a", { get: explode }), "a")).toBeUndefined();
  expect(ownValue({}, "constructor")).toBeUndefined();
  expect(ownValue(JSON.parse('{"__proto__":{"a":1}}'), "a")).toBeUndefined();
});

test("whatever cannot be read is absent", () => {
  const traps = { get: explode, getOwnPropertyDescriptor: explode, ownKeys: explode };
  for (const target of [null, undefined, 5, "text", revoked.proxy, new Proxy({}, traps)]) {
    expect(ownValue(target, "a")).toBeUndefined();
    expect(ownKeys(target, 5)).toEqual([]);
    expect(ownItems(target, 5)).toBeUndefined();
  }
});

test("keys and items end at the given count", () => {
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, at]));
  expect(ownKeys(wide, 3)).toEqual(["k0", "k1", "k2"]);
  expect(ownItems([1, 2, 3, 4], 2)).toEqual({ items: [1, 2], length: 4 });
  // Holes, and items that are getters, are there but nothing.
  const holes = Object.defineProperty(new Array(2), 0, { get: explode });
  expect(ownItems(holes, 5)).toEqual({ items: [undefined, undefined], length: 2 });
});

test("a record is an object and no list, function or revoked proxy of a list", () => {
  expect(isRecord({})).toBe(true);
  expect(isRecord(Object.create(null))).toBe(true);
  for (const other of [null, [], () => 1, "text", 5, undefined])
    expect(isRecord(other)).toBe(false);
});
