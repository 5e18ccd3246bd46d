import fc from "fast-check";
import { expect, test } from "vitest";
import { modelToolName } from "../src/tool-name.ts";

test("the name of a tool has the server's name as its prefix", () => {
  expect(modelToolName("shop", "add_to_cart")).toBe("shop__add_to_cart");
});

test("every name is one that models' APIs accept and isn't one of a view's tool", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 90 }), fc.string({ maxLength: 90 }), (server, tool) => {
      const name = modelToolName(server, tool);
      expect(name).toMatch(/^[A-Za-z][\w-]{0,63}$/);
      expect(name.startsWith("app_")).toBe(false);
    }),
  );
});

test("two tools never have the same name, also when their servers' names contain the separator", () => {
  const part = fc.string({ unit: fc.constantFrom("a", "_", "-", ".", "ä"), maxLength: 5 });
  const pair = fc.tuple(part, part);
  fc.assert(
    fc.property(pair, pair, (one, two) => {
      fc.pre(one[0] !== two[0] || one[1] !== two[1]);
      expect(modelToolName(...one)).not.toBe(modelToolName(...two));
    }),
    { numRuns: 5000 },
  );
  const long = "x".repeat(80);
  expect(modelToolName(long, "a")).not.toBe(modelToolName(long, "b"));
});
