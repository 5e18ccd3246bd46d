import { describe, expect, test } from "vitest";
import { type Draft, draftOf, initialDraft, newItem } from "../../pages/dev/form/form-draft.ts";
import { emptyEntry, filledEntry } from "../../pages/dev/form/form-entry.ts";
import { type FormNode, formOf, type ObjectNode } from "../../pages/dev/form/form-node.ts";
import { readForm } from "../../pages/dev/form/form-reading.ts";

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2, pattern: "^[a-z]+$", title: "Name" },
    count: { type: "integer", minimum: 1, maximum: 9, default: 3 },
    ratio: { type: "number" },
    deep: { type: "boolean" },
    colour: { enum: ["red", "green"] },
    level: { oneOf: [{ const: 1, title: "low" }, { const: 2 }] },
    tags: { type: "array", items: { type: "string" }, maxItems: 2 },
    place: { type: "object" },
    home: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    maybe: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
    either: { type: ["number", "null"] },
    day: { type: "string", format: "date" },
    moment: { type: "string", format: "date-time" },
    shape: {
      oneOf: [
        {
          type: "object",
          properties: { kind: { const: "circle" }, radius: { type: "number" } },
          required: ["kind", "radius"],
        },
        { $ref: "#/$defs/Square" },
      ],
    },
    anything: {},
  },
  required: ["name", "colour", "tags"],
  $defs: {
    Square: {
      title: "A square",
      type: "object",
      properties: { kind: { const: "square" }, side: { type: "number" } },
      required: ["kind", "side"],
    },
  },
};
const form = formOf(SCHEMA) as ObjectNode;
const kinds = Object.fromEntries(form.fields.map(({ name, node }) => [name, node.kind]));
const filled = (typed: Record<string, Draft>): Draft => {
  const { fields } = initialDraft(form, true) as { fields: Map<string, Draft> };
  return { fields: new Map([...fields, ["name", "bolt"], ...Object.entries(typed)]) };
};

describe("a form of a schema", () => {
  test("has a field of its kind for each property", () => {
    expect(kinds).toEqual({
      name: "string",
      count: "integer",
      ratio: "number",
      deep: "boolean",
      colour: "enum",
      level: "enum",
      tags: "list",
      place: "json",
      home: "object",
      maybe: "string",
      either: "number",
      day: "date",
      moment: "date-time",
      shape: "choice",
      anything: "json",
    });
  });

  test("begins with defaults, and with the least for what is required", () => {
    expect(readForm(form, filled({}))).toEqual({
      value: { name: "bolt", count: 3, colour: "red", tags: [] },
      errors: new Map(),
    });
  });

  test("gives nested values with their types, and leaves out what is empty", () => {
    const input = {
      name: "bolt",
      count: 4,
      colour: "green",
      level: 2,
      deep: false,
      tags: ["a", ""],
      home: { city: "Graz" },
      day: "2026-02-03",
      moment: "2026-02-03T10:00:00Z",
      shape: { kind: "square", side: 2.5 },
      anything: [null, { x: 1 }],
    };
    expect(readForm(form, draftOf(form, input))).toEqual({ value: input, errors: new Map() });
  });

  test("gives a moment its zone", () => {
    const { value } = readForm(form, filled({ moment: "2026-02-03T10:00" }));
    expect((value as { moment: string }).moment).toBe(new Date("2026-02-03T10:00").toISOString());
  });

  test.each([
    [{ name: undefined }, "/name", "required"],
    [{ name: "a" }, "/name", "At least 2 characters"],
    [{ name: "A1" }, "/name", "Must match"],
    [{ count: "0" }, "/count", "At least 1"],
    [{ count: "10" }, "/count", "At most 9"],
    [{ count: "1.5" }, "/count", "whole number"],
    [{ ratio: "much" }, "/ratio", "not a number"],
    [{ place: "[]" }, "/place", "Enter an object"],
    [{ anything: "[" }, "/anything", "Invalid JSON"],
    [{ colour: '"blue"' }, "/colour", "Choose one"],
    [{ home: { fields: new Map() } }, "/home/city", "required"],
    [{ tags: { items: ["a", "b", "c"].map(newItem) } }, "/tags", "at most 2"],
    [
      { shape: { branch: 0, drafts: new Map([[0, { fields: new Map() }]]) } },
      "/shape/radius",
      "req",
    ],
  ] as const)("with %o names the problem of %s", (typed, path, words) => {
    expect(readForm(form, filled(typed)).errors.get(path)).toContain(words);
  });

  test("resolves references and allOf", () => {
    const node = formOf({
      allOf: [
        { properties: { a: { $ref: "#/$defs/Name" } }, required: ["a"] },
        { properties: { b: { type: "number" } } },
      ],
      $defs: { Name: { type: "string", description: "A name" } },
    }) as ObjectNode;
    expect(node.fields).toMatchObject([
      { name: "a", required: true, node: { kind: "string", description: "A name" } },
      { name: "b", required: false, node: { kind: "number" } },
    ]);
  });

  test("is a choice if the whole input is one of several objects", () => {
    const one = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } } });
    const node = formOf({ type: "object", oneOf: [one("a"), one("b")] });
    expect(node).toMatchObject({
      kind: "choice",
      branches: [{ kind: "object" }, { kind: "object" }],
    });
    expect(readForm(node as FormNode, draftOf(node as FormNode, { b: "x" })).value).toEqual({
      b: "x",
    });
  });

  test("is one JSON field if the schema isn't an object", () => {
    expect(formOf({ anyOf: [{ type: "string" }, { type: "number" }] })).toBeUndefined();
    expect(formOf({ type: "string" })).toBeUndefined();
    expect(emptyEntry(undefined).json).toBe("{}");
  });

  test("keeps the lines of a text whose default has some", () => {
    const node = formOf({
      properties: {
        notation: { type: "string", default: "X:1\nK:C" },
        city: { type: "string", default: "Graz" },
      },
    }) as ObjectNode;
    expect(node.fields.map((field) => field.node.kind)).toEqual(["text", "string"]);
  });
});

describe("an input in a form", () => {
  test("is in the fields if they hold all of it", () => {
    const input = { name: "bolt", colour: "red", tags: [], shape: { kind: "circle", radius: 1 } };
    expect(filledEntry(form, input).json).toBeUndefined();
  });

  test.each([[{ unknown: 1 }], [{ name: 7 }], [{ shape: { kind: "circle", extra: true } }]])(
    "%o stays as JSON, because the fields would lose a part of it",
    (input) => {
      expect(filledEntry(form, input)).toMatchObject({
        isUnfit: true,
        json: JSON.stringify(input, null, 2),
      });
    },
  );
});

describe("a hostile schema", () => {
  test("that refers to itself ends at a depth, and the rest is JSON", () => {
    const tree = { type: "object", properties: { child: { $ref: "#" }, to: { $ref: "#/loop" } } };
    let node = formOf({ ...tree, loop: { $ref: "#/loop" } }) as FormNode | undefined;
    let depth = 0;
    while (node?.kind === "object" && depth < 50) {
      node = node.fields.find(({ name }) => name === "child")?.node;
      depth++;
    }
    expect(node?.kind).toBe("json");
    expect(depth).toBeLessThan(10);
  });

  test("with many or wide parts makes a form of bounded size", () => {
    const wide = (levels: number): object => ({
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [
          `p${index}`,
          levels > 0 ? wide(levels - 1) : { type: "string" },
        ]),
      ),
    });
    const count = (node: FormNode): number =>
      1 +
      (node.kind === "object"
        ? node.fields.reduce((sum, field) => sum + count(field.node), 0)
        : node.kind === "list"
          ? count(node.item)
          : 0);
    expect(count(formOf(wide(2)) as FormNode)).toBeLessThan(500);
    const many = { minItems: 1e9, type: "array", items: { type: "string" } };
    const listed = formOf({ properties: { many }, required: ["many"] }) as ObjectNode;
    expect(JSON.stringify(readForm(listed, initialDraft(listed, true)).value).length).toBeLessThan(
      200,
    );
  });

  test("can't name a field that changes objects", () => {
    const node = formOf(
      JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}'),
    ) as ObjectNode;
    const draft = { fields: new Map<string, Draft>([["__proto__", "x"]]) };
    const { value } = readForm(node, draft);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect(readForm(node, draftOf(node, {})).value).toEqual({});
  });

  test.each([
    "(a+)+$",
    "(a|a)*b",
    "a*a*a*a*a*b",
    `${"a?".repeat(40)}${"a".repeat(40)}`,
    "(",
    "(?<x>a)\\k<x>",
  ])("with the pattern %s doesn't stop the page", (pattern) => {
    const node = formOf({ properties: { a: { type: "string", pattern } } }) as FormNode;
    const began = performance.now();
    readForm(node, { fields: new Map([["a", `${"a".repeat(60)}!`]]) });
    expect(performance.now() - began).toBeLessThan(500);
  });

  test("of any other kind is accepted", () => {
    expect(formOf(null)).toMatchObject({ kind: "object", fields: [] });
    expect(formOf({ type: "object", properties: { a: 5 }, required: 7 })).toMatchObject({
      fields: [{ name: "a", required: false, node: { kind: "json" } }],
    });
    for (const odd of [{ properties: [] }, { allOf: 3 }, { anyOf: [null, 4] }, { $ref: 9 }, []])
      expect(() => formOf(odd)).not.toThrow();
  });
});
