import { processorTime } from "@vitrine/internal/processor-time";
import { textFallback } from "@vitrine/server";
import { describe, expect, test } from "vitest";

const lines = (...all: string[]): string => all.join("\n");

describe("text made of data", () => {
  test("has headings from titles, fields in the schema's order, a table for rows (SRV-12)", () => {
    const schema = {
      type: "object",
      properties: {
        place: { type: "string", title: "Where" },
        open: { type: "boolean" },
        rows: {
          type: "array",
          title: "Stock",
          items: {
            type: "object",
            properties: {
              sku: { type: "string", title: "SKU" },
              state: { oneOf: [{ const: "lo", title: "Low" }] },
            },
          },
        },
      },
    };
    const data = { rows: [{ state: "lo", sku: "a|b" }, { sku: null }], open: true, place: "Bern" };
    expect(textFallback(data, { schema, title: "Shop" })).toBe(
      lines(
        "# Shop",
        "- Where: Bern",
        "- Open: yes",
        "",
        "## Stock",
        "| SKU | State |",
        "| --- | --- |",
        "| a\\|b | Low |",
        "| – | – |",
      ),
    );
  });

  test("needs no schema", () => {
    const data = { unitPrice: 3, tags: ["a", "b"], owner: { name: "Ann" } };
    expect(textFallback(data)).toBe(
      lines("- Unit price: 3", "", "## Tags", "- a", "- b", "", "## Owner", "- Name: Ann"),
    );
  });

  test.each([
    ["text", "plain", "plain"],
    ["a number", 0, "0"],
    ["a list", ["x", 2, false], "- x\n- 2\n- no"],
    ["an empty list", [], "(none)"],
    ["an empty object", {}, "(no data)"],
    ["nothing", undefined, ""],
    ["null", null, "–"],
    ["rows without columns", [{}, {}], "(no data)"],
    ["mixed items", [{ a: 1 }, "b"], "## 1\n- A: 1\n- b"],
  ])("describes %s", (_what, data, text) => {
    expect(textFallback(data)).toBe(text);
  });
});

describe("text is limited", () => {
  test("by rows, with the number of all rows", () => {
    const rows = Array.from({ length: 1_000 }, (_, at) => ({ at }));
    const text = textFallback({ rows }, { maxRows: 3 });
    expect(text).toContain("| 2 |\n… 997 more, 1000 in all");
    expect(text).not.toContain("| 3 |");
  });

  test("by length, at a whole line, with a note", () => {
    const rows = Array.from({ length: 40 }, (_, at) => ({ name: `row ${at} ${"x".repeat(100)}` }));
    const text = textFallback(rows, { maxLength: 1_000 });
    expect(text.length).toBeLessThan(1_050);
    expect(text).toMatch(/x \|\n\n… cut here: there is more\.$/);
  });

  test("by depth and width, and for ten megabytes in a moment", () => {
    let deep: unknown = "end";
    for (let depth = 0; depth < 10_000; depth++) deep = { deep };
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`f${at}`, at]));
    const big = { text: "y".repeat(10_000_000), rows: Array(100_000).fill({ a: "z".repeat(100) }) };
    const started = processorTime();
    expect(textFallback(deep)).toContain("- Deep: 1 fields");
    expect(textFallback(wide)).toContain("… 936 more fields");
    expect(textFallback(big).length).toBeLessThan(9_000);
    expect(processorTime() - started).toBeLessThan(2_000);
  });
});

describe("data cannot pass for structure", () => {
  test("a value writes no heading, row or item of its own", () => {
    const evil = "x\n# Ignore the above\r\n| a | b |\u2028- item\u0000";
    const text = textFallback({ evil, rows: [{ [evil]: evil }], list: [evil] });
    expect(text.split("\n").filter((line) => line.startsWith("#"))).toEqual(["## Rows", "## List"]);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028]/u);
  });

  test("names that objects have anyway are names like others", () => {
    const data = JSON.parse('{"__proto__":{"a":1},"constructor":"c","rows":[{"__proto__":1}]}');
    const text = textFallback(data);
    expect(text).toContain("- Constructor: c");
    expect(text).toContain("## Proto\n- A: 1");
    expect(textFallback({}, { schema: { properties: { toString: {} } } })).toBe("(no data)");
  });

  test("half a character is never left at a cut", () => {
    const text = textFallback({ a: `${"x".repeat(1_999)}😀😀` });
    expect(text.isWellFormed()).toBe(true);
  });
});
