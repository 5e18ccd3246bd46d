import { expect, it } from "vitest";
import { indentedJson } from "../../console/json-text.ts";

it("breaks JSON into lines, and leaves strings and numbers as they are", () => {
  const text = String.raw`{"amount":12345678901234567890,"note":"a, \"b\": {c}","tags":[],"to":[1e400,{"x":null}]}`;
  expect(indentedJson(text)).toBe(String.raw`{
  "amount": 12345678901234567890,
  "note": "a, \"b\": {c}",
  "tags": [],
  "to": [
    1e400,
    {
      "x": null
    }
  ]
}`);
});

it("writes what JSON.stringify writes", () => {
  const value = { a: [1, "x", { b: true }], c: {}, d: "" };
  expect(indentedJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
});

it("keeps other text, and text that was cut off", () => {
  expect(indentedJson("servers:\n  a: {}")).toBe("servers:\n  a: {}");
  expect(indentedJson('{"a":"b, c')).toBe('{\n  "a": "b, c');
  expect(indentedJson("[".repeat(2000)).length).toBeLessThan(300_000);
});
