import { processorTime } from "@vitrine/internal/processor-time";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitsSchema } from "../src/view-tools/output-schema.ts";

const ajv = new Ajv2020({ strict: false, logger: false });

// Schemas of the keywords that are checked, and values likely to meet them.
const { schema } = fc.letrec<{ schema: object | boolean }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    fc.boolean(),
    fc.record(
      {
        type: fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object", [
          "string",
          "null",
        ]),
        enum: fc.uniqueArray(fc.jsonValue({ maxDepth: 1 }), {
          minLength: 1,
          maxLength: 3,
          comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
        }),
        const: fc.jsonValue({ maxDepth: 1 }),
        minimum: fc.integer({ min: -3, max: 3 }),
        maximum: fc.integer({ min: -3, max: 3 }),
        minLength: fc.nat(3),
        maxLength: fc.nat(3),
        minItems: fc.nat(3),
        maxItems: fc.nat(3),
        required: fc.uniqueArray(fc.constantFrom("a", "b")),
        properties: fc.dictionary(fc.constantFrom("a", "b"), tie("schema")),
        additionalProperties: tie("schema"),
        items: tie("schema"),
        allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
        anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
        not: tie("schema"),
      },
      { requiredKeys: [] },
    ),
  ),
}));
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.record(
    { a: fc.jsonValue({ maxDepth: 1 }), b: fc.integer({ min: -3, max: 3 }) },
    { requiredKeys: [] },
  ),
  fc.array(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.string({ maxLength: 3 })), {
    maxLength: 3,
  }),
);

describe("a result held against its tool's schema", () => {
  test("is judged as a full validator judges it", () => {
    fc.assert(
      fc.property(schema, value, (rules, given) => {
        // Ajv counts code points; text beyond the first plane is not what this is about.
        fc.pre(!/[\ud800-\udfff]/.test(JSON.stringify([rules, given])));
        expect(fitsSchema(given, rules)).toBe(ajv.validate(rules, given));
      }),
      { numRuns: 150 },
    );
  }, 30_000);

  test.each([null, 7, "object", undefined, []])("fits nothing where the schema is %j", (rules) => {
    expect(fitsSchema({}, rules)).toBe(false);
  });

  test("fits nothing where a keyword has a value of the wrong kind", () => {
    expect(fitsSchema({}, { required: 7 })).toBe(false);
    expect(fitsSchema({}, { properties: null })).toBe(false);
  });

  test("names of prototypes are names like others", () => {
    expect(fitsSchema({}, { required: ["toString"] })).toBe(false);
    expect(fitsSchema({}, { properties: { constructor: false } })).toBe(true);
    expect(fitsSchema({}, { constructor: 1, toString: 2 })).toBe(true);
  });

  const many = <T>(item: T, length = 50_000): T[] => new Array<T>(length).fill(item);

  test("S23: a table of a thousand rows is well within the budget", () => {
    const row = { name: "Bern", people: 134_000, tags: ["a", "b"], at: null };
    const rules = {
      type: "object",
      properties: {
        rows: {
          type: "array",
          items: {
            type: "object",
            required: ["name", "people"],
            additionalProperties: false,
            properties: {
              name: { type: "string" },
              people: { type: "integer", minimum: 0 },
              tags: { type: "array", items: { type: "string" } },
              at: { type: ["string", "null"] },
            },
          },
        },
      },
    };
    expect(fitsSchema({ rows: many(row, 1000) }, rules)).toBe(true);
    expect(fitsSchema({ rows: [...many(row, 999), {}] }, rules)).toBe(false);
  });

  test.each([
    ["many alternatives", { anyOf: many({ const: {} }) }],
    ["members that are true", { items: { allOf: many(true) } }],
    ["members that are false", { items: { oneOf: [...many(false), true] } }],
    ["a list of types", { items: { type: [...many("x"), "object"] } }],
    [
      "many keys",
      { items: { properties: Object.fromEntries(many({}).map((rule, n) => [n, rule])) } },
    ],
    ["a long enumeration", { items: { enum: many(0).map((_, n) => ({ n })) } }],
    ["nested pairs", Array.from({ length: 60 }).reduce((rule) => ({ allOf: [rule, rule] }), {})],
    ["items again and again", { allOf: many({ items: true }, 500) }],
    ["keys again and again", { items: { anyOf: many({ additionalProperties: true, not: {} }) } }],
  ])("S23: a schema made to keep us busy (%s) is given up", (_, rules) => {
    const wide = Array.from({ length: 50_000 }, (_item, n) => ({ n: -n }));
    const began = processorTime();
    expect(fitsSchema(wide, rules)).toBe(false);
    // It takes some 20 ms.
    expect(processorTime() - began).toBeLessThan(500);
  });
});
