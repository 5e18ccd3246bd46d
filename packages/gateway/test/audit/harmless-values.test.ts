import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact } from "../../src/audit/redaction.ts";

function nest(depth: number): unknown {
  let value: unknown = "deep";
  for (let n = 0; n < depth; n++) value = n % 2 ? [value] : { a: value };
  return value;
}

describe("a value with nothing to take out", () => {
  // A schema that names a secret somewhere else lets each value be walked through, however harmless it is.
  const elsewhere = { properties: { "no such member": { writeOnly: true } } };
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "structuredContent",
      "Tromsø",
      'a "quoted" line\nand\\another',
      "2026-11-15T11:30:00.000Z",
      "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
      "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
      "Bearer abcdefgh",
      "password: hunter2",
      "https://ann:hunter2@example.com",
      "apiKey",
      "\u2028",
    ),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie("value")),
      fc.dictionary(text, tie("value")),
    ),
  }));

  test("is written as a walk through it would write it", () => {
    fc.assert(
      fc.property(value, (given) => {
        expect(redact(given)).toEqual(redact(given, elsewhere));
      }),
      { numRuns: 1000 },
    );
  });

  test.for([
    ["a thousand items", Array.from({ length: 1_999 }, () => 1)],
    ["one too many", Array.from({ length: 2_001 }, () => 1)],
    ["as much text as is kept", "word ".repeat(4_000).slice(0, 16_384)],
    ["a character more", "word ".repeat(4_000).slice(0, 16_385)],
    ["as deep as is kept", nest(32)],
    ["one deeper", nest(33)],
    ["what JSON has no word for", [undefined, Number.NaN, 1n, new Date(0), () => 1]],
  ] as const)("also at the limits: %s", ([, given]) => {
    expect(redact(given)).toEqual(redact(given, elsewhere));
  });
});
