import { processorTime } from "@vitrine/internal/processor-time";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { isFlat, isScalar, readSchema, toJsonSchema } from "../src/json-schema.ts";
import { labelOf } from "../src/key-label.ts";

describe("a schema that is read", () => {
  test("has an end, also where its references multiply", () => {
    const again = { $ref: "#" };
    const bomb = { type: "object", allOf: Array.from({ length: 16 }, () => again) };
    const started = processorTime();
    expect(readSchema(bomb).type).toBe("object");
    expect(readSchema({ properties: { a: bomb, b: bomb } }).properties()).toHaveLength(2);
    expect(processorTime() - started).toBeLessThan(2000);
  });

  test("gives properties in order, with labels and what is required", () => {
    const node = readSchema({
      type: "object",
      properties: { unitPrice: { type: "number" }, note: { type: "string", title: "Remark" } },
      required: ["unitPrice"],
    });
    expect(
      node
        .properties()
        .map(({ name, label, required, node: { type } }) => [name, label, required, type]),
    ).toEqual([
      ["unitPrice", "Unit price", true, "number"],
      ["note", "Remark", false, "string"],
    ]);
    expect(node.property("note")?.title).toBe("Remark");
    expect(node.property("none")).toBeUndefined();
  });

  test("takes null away from a type, however it was written", () => {
    for (const schema of [
      { type: ["string", "null"] },
      { anyOf: [{ type: "string" }, { type: "null" }] },
      { oneOf: [{ type: "null" }, { $ref: "#/$defs/text" }], $defs: { text: { type: "string" } } },
    ]) {
      expect(readSchema(schema)).toMatchObject({ type: "string", nullable: true });
    }
    expect(readSchema({ type: ["string", "number"] }).type).toBeUndefined();
  });

  test("follows references into its own document, and joins what they name", () => {
    const node = readSchema({
      $defs: { "a/b": { type: "object", properties: { x: { type: "integer" } }, required: ["x"] } },
      allOf: [{ $ref: "#/$defs/a~1b" }, { properties: { y: { enum: ["p", "q"] } } }],
    });
    expect(node.properties().map(({ name, required }) => [name, required])).toEqual([
      ["x", true],
      ["y", false],
    ]);
    expect(node.property("y")).toMatchObject({
      type: "string",
      choices: [
        { value: "p", label: "p" },
        { value: "q", label: "q" },
      ],
    });
  });

  test("reads alternatives of constants as choices with their titles", () => {
    const node = readSchema({ oneOf: [{ const: 1, title: "Low" }, { const: 2 }] });
    expect(node.choices).toEqual([
      { value: 1, label: "Low" },
      { value: 2, label: "2" },
    ]);
  });

  test("terminates for hostile schemas", () => {
    const loop = {
      $ref: "#/$defs/a",
      $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
    };
    expect(readSchema(loop).type).toBeUndefined();
    const tree = { type: "object", properties: { child: { $ref: "#" } } };
    let node = readSchema(tree);
    for (let depth = 0; depth < 100; depth++) node = node.property("child") ?? readSchema({});
    expect(node.type).toBe("object");
    expect(readSchema({ $ref: "https://evil.example/schema.json", type: "string" }).type).toBe(
      "string",
    );
    const elsewhere = { $ref: "x/$defs/a", $defs: { a: { type: "string" } } };
    expect(readSchema(elsewhere).type).toBeUndefined();
    for (const value of [null, 7, "x", [], true, { properties: 7, required: "x", enum: 3 }]) {
      expect(readSchema(value).properties()).toEqual([]);
    }
  });

  test("knows no property that is not the schema's own", () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
    expect(
      readSchema(schema)
        .properties()
        .map(({ name }) => name),
    ).toEqual(["__proto__"]);
    expect(readSchema({ type: "object" }).property("constructor")).toBeUndefined();
    expect(readSchema({ $ref: "#/constructor/prototype" }).type).toBeUndefined();
  });

  test("tells a row of a table from what is not one", () => {
    const row = { type: "object", properties: { a: { type: "string" }, b: { enum: [1, 2] } } };
    expect(isFlat(readSchema(row))).toBe(true);
    expect(isFlat(readSchema({ type: "object", properties: { a: row } }))).toBe(false);
    expect(isScalar(readSchema({}))).toBe(false);
  });
});

test.each([
  ["unitPrice", "Unit price"],
  ["unit_price", "Unit price"],
  ["unit-price.net", "Unit price net"],
  ["URL", "URL"],
  ["userID", "User ID"],
  ["id", "ID"],
  ["order_ids", "Order IDs"],
  ["vip", "VIP"],
  ["createdAt", "Created"],
  ["expires_at", "Expires"],
  ["closed_on", "Closed"],
  ["addOn", "Add on"],
  ["at", "At"],
  ["größe", "Größe"],
  ["_", "_"],
])("the name %s is %s in words", (name, label) => {
  expect(labelOf(name)).toBe(label);
  expect(labelOf(name, " Given ")).toBe("Given");
});

describe("the JSON Schema of", () => {
  test("zod is the schema that zod generates", () => {
    const schema = z.object({ a: z.string().default("x") });
    expect(toJsonSchema(schema, "input")).toMatchObject({ type: "object" });
    expect(toJsonSchema(schema, "output")).toMatchObject({ required: ["a"] });
  });

  test("JSON Schema is itself, and of anything that isn't a schema undefined", () => {
    const schema = { type: "object" };
    expect(toJsonSchema(schema, "output")).toBe(schema);
    for (const none of [undefined, null, "x", { a: z.string() }, { type: z.string() }]) {
      expect(toJsonSchema(none, "output")).toBeUndefined();
    }
  });

  test("a type that JSON can't express is undefined", () => {
    expect(toJsonSchema(z.object({ when: z.date() }), "output")).toBeUndefined();
  });
});
