import { describe, expect, test } from "vitest";
import { type FormField, fieldsOf, initialValues, readForm } from "../../pages/dev/schema-form.ts";

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2, pattern: "^[a-z]+$", title: "Name" },
    count: { type: "integer", minimum: 1, maximum: 9, default: 3 },
    ratio: { type: "number" },
    deep: { type: "boolean" },
    colour: { enum: ["red", "green"] },
    level: { oneOf: [{ const: 1, title: "low" }, { const: 2 }] },
    tags: { type: "array", items: { type: "string" } },
    place: { type: "object" },
    maybe: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
    either: { type: ["number", "null"] },
    anything: {},
  },
  required: ["name", "colour", "tags"],
};
const fields = fieldsOf(SCHEMA) as FormField[];
const kinds = Object.fromEntries(fields.map(({ name, kind }) => [name, kind]));

describe("a form of a schema", () => {
  test("has a field of its kind for each property", () => {
    expect(kinds).toEqual({
      name: "string",
      count: "integer",
      ratio: "number",
      deep: "boolean",
      colour: "enum",
      level: "enum",
      tags: "json",
      place: "json",
      maybe: "string",
      either: "number",
      anything: "json",
    });
  });

  test("begins with defaults, and with the least for what is required", () => {
    expect(initialValues(fields)).toMatchObject({ count: "3", colour: '"red"', tags: "[]" });
    expect(initialValues(fields).name).toBeUndefined();
    expect(initialValues(fields).maybe).toBeUndefined();
  });

  test("gives the arguments with their types, and leaves out what is empty", () => {
    const values = {
      ...initialValues(fields),
      name: "bolt",
      level: "2",
      deep: false,
      tags: '["a"]',
      anything: "null",
    };
    expect(readForm(fields, values)).toEqual({
      errors: {},
      arguments: {
        name: "bolt",
        count: 3,
        colour: "red",
        level: 2,
        deep: false,
        tags: ["a"],
        anything: null,
      },
    });
  });

  test.each([
    [{ name: undefined }, "name", "required"],
    [{ name: "a" }, "name", "At least 2 characters"],
    [{ name: "A1" }, "name", "Must match"],
    [{ count: "0" }, "count", "At least 1"],
    [{ count: "10" }, "count", "At most 9"],
    [{ count: "1.5" }, "count", "whole number"],
    [{ ratio: "much" }, "ratio", "not a number"],
    [{ tags: "{}" }, "tags", "Enter a list"],
    [{ place: "[]" }, "place", "Enter an object"],
    [{ tags: "[" }, "tags", "Invalid JSON"],
    [{ colour: '"blue"' }, "colour", "Choose one"],
  ])("with %o names the problem of %s", (typed, name, words) => {
    const { errors } = readForm(fields, { ...initialValues(fields), name: "bolt", ...typed });
    expect(errors[name]).toContain(words);
  });

  test("is one JSON field if the schema isn't an object with properties", () => {
    expect(fieldsOf({ anyOf: [{ type: "object" }] })).toBeUndefined();
    expect(fieldsOf({ type: "string" })).toBeUndefined();
  });

  test("accepts an invalid schema", () => {
    expect(fieldsOf(null)).toEqual([]);
    expect(fieldsOf({ type: "object", properties: { a: 5 }, required: 7 })).toMatchObject([
      { name: "a", kind: "json", required: false },
    ]);
    const [field] = fieldsOf({
      properties: { a: { type: "string", pattern: "(" } },
    }) as FormField[];
    expect(readForm([field as FormField], { a: "x" }).errors).toEqual({});
  });
});

test("a text whose default has lines gets a field that keeps them", () => {
  const properties = {
    notation: { type: "string", default: "X:1\nK:C\nC D E F |" },
    city: { type: "string", default: "Graz" },
  };
  const kinds = fieldsOf({ type: "object", properties })?.map(({ kind }) => kind);
  expect(kinds).toEqual(["text", "string"]);
});
