import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSchemaCheck, type SchemaCheck } from "../../src/policy/schema-check.ts";
import { checkSimple, UNSURE } from "../../src/policy/schemas/simple-check.ts";
import { Strikes } from "../../src/policy/schemas/strikes.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

let schemas: SchemaCheck;
beforeAll(() => {
  schemas = createSchemaCheck();
});
afterAll(() => schemas.close());

/** The mistake, if there is one. */
async function check(schema: object, value: unknown): Promise<string | undefined> {
  const whose = { server: "s", tool: "t", tenant: "acme", user: "alice" };
  const found = await schemas.check({ schema, value, ...whose });
  return found?.kind === "mistake" ? found.message : found?.kind;
}

/** As it comes with a list: the same each time, and never the same object. */
const schemaOf = (least: number, more: object = {}): object => ({
  type: "object",
  properties: { call: { type: "string" }, count: { type: "number", minimum: least } },
  required: ["call"],
  ...more,
});
/** A keyword that only the worker knows. */
const WORKER = { not: { required: ["absent"] } };

describe("the check of arguments", () => {
  // A list of tools is kept for a minute; the gateways of a soak kept some kilobytes more with each reading.
  it("uses no more memory for a schema that comes again with the next list", async () => {
    const heapAfter = async (times: number): Promise<number> => {
      for (let n = 0; n < times; n++) {
        expect(await check(schemaOf(1, WORKER), { call: "a" })).toBeUndefined();
      }
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = await heapAfter(100);
    expect((await heapAfter(800)) - before).toBeLessThan(2 ** 20);
  });

  it.each([
    ["on the event loop", {}],
    ["in a worker", WORKER],
  ])("tells schemas apart that differ in a number, %s", async (_where, more) => {
    const value = { call: "a", count: 5 };
    expect(await check(schemaOf(1, more), value)).toBeUndefined();
    expect(await check(schemaOf(10, more), value)).toBe("/count must be >= 10");
    expect(await check(schemaOf(1, more), value)).toBeUndefined();
  });

  it("continues after it dropped compiled schemas", async () => {
    const description = "x".repeat(50_000);
    for (let n = 0; n < 30; n++) await check(schemaOf(n, { ...WORKER, description }), {});
    const value = { call: "a", count: 0 };
    expect(await check(schemaOf(1, { ...WORKER, description }), value)).toBe("/count must be >= 1");
  });

  it("accepts values whose schema can't be compiled, each time", async () => {
    for (let n = 0; n < 2; n++) {
      expect(await check({ type: "nonsense" }, { call: 1 })).toBeUndefined();
    }
  });

  it("checks common schemas without a worker", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        city: { type: "string", description: "Where", minLength: 1 },
        unit: { enum: ["C", "F"], default: "C" },
        days: { anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }] },
        tags: { type: "array", items: { type: "string" }, maxItems: 3 },
        area: { type: "object", properties: { size: { type: "number" } }, required: ["size"] },
      },
      required: ["city"],
      additionalProperties: false,
    };
    const fits = { city: "Bern", unit: "F", days: null, tags: ["a"], area: { size: 1 } };
    expect(checkSimple(schema, fits)).toBeUndefined();
    expect(checkSimple(schema, {})).toBe("the object must have required property 'city'");
    expect(checkSimple(schema, { city: "" })).toBe("/city must NOT have fewer than 1 characters");
    expect(checkSimple(schema, { city: "x", days: 0 })).toBe("/days must be >= 1");
    expect(checkSimple(schema, { city: "x", tags: ["a", 1] })).toBe("/tags/1 must be string");
    expect(checkSimple(schema, { city: "x", area: {} })).toContain("/area must have required");
    expect(checkSimple(schema, { city: "x", more: 1 })).toContain("NOT have additional");
  });

  it("agrees with Ajv wherever it is sure", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true });
    const name = fc.constantFrom("a", "b", "constructor", "__proto__");
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(true, false),
        fc.record(
          {
            type: fc.oneof(TYPE, fc.uniqueArray(TYPE, { minLength: 1, maxLength: 3 })),
            enum: fc.uniqueArray(fc.constantFrom(1, "a", null, true), { minLength: 1 }),
            const: fc.constantFrom(1, "a", null),
            minimum: fc.integer({ min: -2, max: 2 }),
            exclusiveMaximum: fc.integer({ min: -2, max: 2 }),
            minLength: fc.integer({ min: 0, max: 2 }),
            maxItems: fc.integer({ min: 0, max: 2 }),
            required: fc.uniqueArray(name, { maxLength: 2 }),
            properties: fc.dictionary(name, tie("schema"), { maxKeys: 2 }),
            additionalProperties: tie("schema"),
            items: tie("schema"),
            anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
            uniqueItems: fc.constant(true),
          },
          { requiredKeys: [] },
        ),
      ),
    }));
    const leaf = fc.oneof(fc.constantFrom(null, true, "", "a", "ab", "😀"), fc.integer({ max: 3 }));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(name, tie("value"), { maxKeys: 3 }),
      ),
    }));
    let sure = 0;
    fc.assert(
      fc.property(schema, value, (given, tried) => {
        // As they come over the wire: own properties, `__proto__` too.
        const [one, other] = [given, tried].map((part) => JSON.parse(JSON.stringify(part)));
        const result = checkSimple(one, other);
        if (result === UNSURE) return;
        sure += 1;
        expect(result === undefined).toBe(ajv.compile(one)(other));
      }),
      { numRuns: 1_500 },
    );
    expect(sure).toBeGreaterThan(500);
  });

  it("remembers a bounded number of failures", () => {
    let now = 0;
    const strikes = new Strikes({ period: 100, most: 10, clock: () => now });
    for (let n = 0; n < 50; n++) strikes.add(`key-${n}`);
    expect(strikes.size).toBe(10);
    expect(strikes.timeLeft("key-49", 1)).toBe(100);
    expect(strikes.timeLeft("key-49", 2)).toBeUndefined();
    expect(strikes.timeLeft("key-0", 1)).toBeUndefined();
    now = 100;
    expect(strikes.timeLeft("key-49", 1)).toBeUndefined();
  });
});

const TYPE = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
