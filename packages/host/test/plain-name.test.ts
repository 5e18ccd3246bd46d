import fc from "fast-check";
import { expect, test } from "vitest";
import { plainName } from "../src/plain-name.ts";

test.each([
  ["Weather", "Weather"],
  ["Größe (2026): 天気 — حالة", "Größe (2026): 天気 — حالة"],
  ["✓ Verified by Example", "Verified by Example"],
  ["☑️ ✔︎ 🛡️ 🔒 Safe", "Safe"],
  ["\u202eelpmaxE yb", "elpmaxE yb"],
  ["a\u2066b\u2069\u200b\u{e0041}c", "abc"],
  ["one\n\n\ttwo\u2028three\u00a0 four", "one two three four"],
  ['x” by “Host" «really»', "x' by 'Host' 'really'"],
  ["a\u0301\u0301\u0301\u0301\u0301\u0301\u0301", "a\u0301\u0301\u0301\u0301"],
])("S45: the name %j is shown as %j", (name, shown) => {
  expect(plainName(name)).toBe(shown);
});

test("S45: a name of nothing but symbols is replaced, and a long one is cut", () => {
  expect(plainName("✓ \u2800\u3164", "weather")).toBe("weather");
  expect([...plainName("x".repeat(100_000))]).toHaveLength(81);
});

test("S45: no name has a second line, a symbol, or a character that can't be seen", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (name) => {
      expect(plainName(name)).not.toMatch(/[\p{C}\p{DI}\p{So}\p{Zl}\p{Zp}\n\r\t]| {2}/u);
    }),
    { seed: 45, numRuns: 5000 },
  );
});
