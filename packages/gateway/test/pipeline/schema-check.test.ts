import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createSchemaCheck } from "../../src/pipeline/schema-check.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heapAfter(work: () => void): number {
  work();
  collect();
  return process.memoryUsage().heapUsed;
}

/** As it comes with a list: the same each time, and never the same object. */
const schemaOf = (least: number): object => ({
  type: "object",
  properties: { call: { type: "string" }, count: { type: "number", minimum: least } },
  required: ["call"],
});

describe("the check of arguments", () => {
  // A list of tools is kept for a minute; the gateways of a soak kept some kilobytes more with each reading.
  it("keeps nothing more of a schema that comes again with the next list", () => {
    const check = createSchemaCheck();
    const read = (times: number) => () => {
      for (let n = 0; n < times; n++) expect(check(schemaOf(1), { call: "a" })).toBeUndefined();
    };
    const before = heapAfter(read(100));
    expect(heapAfter(read(800)) - before).toBeLessThan(2 ** 20);
  });

  it("tells schemas apart that differ in a number", () => {
    const check = createSchemaCheck();
    const value = { call: "a", count: 5 };
    expect(check(schemaOf(1), value)).toBeUndefined();
    expect(check(schemaOf(10), value)).toBe("/count must be >= 10");
    expect(check(schemaOf(1), value)).toBeUndefined();
  });

  it("checks on when it has forgotten what it compiled", () => {
    const check = createSchemaCheck();
    for (let n = 0; n < 1010; n++) check(schemaOf(n), { call: "a" });
    expect(check(schemaOf(1), { call: "a", count: 0 })).toBe("/count must be >= 1");
  });

  it("lets pass, each time, what cannot be compiled", () => {
    const check = createSchemaCheck();
    for (let n = 0; n < 2; n++) expect(check({ type: "nonsense" }, { call: 1 })).toBeUndefined();
  });
});
