import { processorTime } from "@vitrine/internal/processor-time";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { copyJson } from "../../src/apps/json-copy.ts";

const limits = { depth: 8, values: 100, size: 1000 };

describe("a copy", () => {
  test("equals what JSON would carry", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = JSON.parse(JSON.stringify(value).replaceAll("__proto__", "proto"));
        const copy = copyJson(plain, { depth: 100, values: 1e6, size: 1e6 });
        expect(copy).toMatchObject({ ok: true, value: plain });
      }),
      { seed: 1865, numRuns: 500 },
    );
  });

  test("shares no object with the original", () => {
    const inner = { a: [1] };
    const copy = copyJson({ inner }, limits) as { value: { inner: { a: number[] } } };
    inner.a.push(2);
    expect(copy.value.inner.a).toEqual([1]);
  });

  test("leaves out undefined properties and reads holes as null", () => {
    const list = [1, undefined, 3];
    delete list[0];
    expect(copyJson({ gone: undefined, list }, limits)).toMatchObject({
      value: { list: [null, null, 3] },
    });
    expect(copyJson({ gone: undefined }, limits)).toMatchObject({ value: {} });
  });

  test("accepts objects of other realms and without a prototype", () => {
    const bare = Object.assign(Object.create(null), { a: 1 });
    const foreign = Object.create(Object.create(null), {
      a: { value: 1, enumerable: true },
    });
    expect(copyJson([bare, foreign], limits)).toMatchObject({ value: [{ a: 1 }, { a: 1 }] });
  });

  test("estimates the size by characters and values", () => {
    expect(copyJson({ ab: "cde" }, limits)).toMatchObject({ size: 2 + 3 + 2 });
    expect(copyJson("cde", limits)).toMatchObject({ size: 4 });
  });
});

describe("a hostile value", () => {
  test("cannot show two faces: every property is read once", () => {
    let reads = 0;
    const value = {
      get url() {
        reads += 1;
        return reads === 1 ? "https://example.com" : "javascript:alert(1)";
      },
    };
    expect(copyJson(value, limits)).toMatchObject({ value: { url: "https://example.com" } });
    expect(reads).toBe(1);
  });

  test("cannot set a prototype", () => {
    const value = JSON.parse('{ "a": { "__proto__": { "polluted": true }, "b": 1 } }');
    const copy = copyJson(value, limits) as { value: { a: Record<string, unknown> } };
    expect(copy.value).toEqual({ a: { b: 1 } });
    expect(copy.value.a.polluted).toBeUndefined();
    expect(Object.getPrototypeOf(copy.value.a)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("keeps keys that only look dangerous", () => {
    const value = { constructor: 1, prototype: 2, toString: 3, hasOwnProperty: 4 };
    expect(copyJson(value, limits)).toMatchObject({ ok: true, value });
  });

  test("may be a cycle, which ends at the depth limit", () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    expect(copyJson(loop, limits)).toMatchObject({ ok: false, code: "too-deep" });
    const wide: unknown[] = [];
    for (let index = 0; index < 50; index += 1) wide.push(wide);
    expect(copyJson(wide, limits)).toMatchObject({ ok: false });
  });

  test("may throw from a getter or a proxy, but not out of the copy", () => {
    const getter = {
      a: {
        get b() {
          throw new Error("boo");
        },
      },
    };
    expect(copyJson(getter, limits)).toMatchObject({
      ok: false,
      code: "unreadable",
      path: ["a", "b"],
    });
    const refusing = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error("boo");
        },
      },
    );
    expect(copyJson(refusing, limits)).toMatchObject({ ok: false, code: "unreadable" });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(copyJson(proxy, limits)).toMatchObject({ ok: false, code: "unreadable" });
  });

  test.each([
    ["a Map", new Map([[1, 2]])],
    ["a Date", new Date()],
    ["a buffer", new Uint8Array(3)],
    ["an error", new Error("no")],
    ["a regular expression", /a/],
    ["a bigint", 1n],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
  ])("may hold %s, which JSON cannot carry", (_, value) => {
    expect(copyJson({ deep: [value] }, limits)).toMatchObject({
      ok: false,
      code: "not-json",
      path: ["deep", 0],
    });
  });
});

describe("the limits", () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

  test.each([
    ["8 levels pass", nested(8), true],
    ["9 levels do not", nested(9), "too-deep"],
    ["99 items and their array pass", Array(99).fill(0), true],
    ["100 items do not", Array(100).fill(0), "too-many-values"],
    ["many small arrays count together", Array(60).fill([0]), "too-many-values"],
    ["999 characters pass", "x".repeat(999), true],
    ["1000 do not", "x".repeat(1000), "too-large"],
    ["keys count as well", { ["k".repeat(1000)]: 1 }, "too-large"],
    ["strings count together", Array(3).fill("x".repeat(400)), "too-large"],
  ])("%s", (_, value, verdict) => {
    const copy = copyJson(value, limits);
    expect(copy.ok || copy.code).toBe(verdict);
  });

  test("stop a huge sparse array before it is visited", () => {
    const started = processorTime();
    expect(copyJson(new Array(2 ** 32 - 1), limits)).toMatchObject({ code: "too-many-values" });
    expect(processorTime() - started).toBeLessThan(100);
  });

  test("stop reading at once", () => {
    let reads = 0;
    const costly = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [index, 0]));
    const counting = new Proxy(costly, {
      get(target, key) {
        reads += 1;
        return Reflect.get(target, key);
      },
    });
    expect(copyJson(counting, limits).ok).toBe(false);
    expect(reads).toBeLessThan(110);
  });
});
