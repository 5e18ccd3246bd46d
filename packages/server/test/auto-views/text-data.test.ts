import { processorTime } from "@vitrine/internal/processor-time";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textData } from "../../src/auto-views/text-data.ts";

const dataIn = (text: string): unknown => {
  const data = textData(text);
  return data?.kind === "json" ? data.value : data;
};

describe("text that is data", () => {
  test.each<[string, string, unknown]>([
    ["JSON", ' {"a": [1]} ', { a: [1] }],
    ["JSON in a fence", '```json\n{"a": 1}\n```', { a: 1 }],
    ["an object in each line", '{"a":1}\n{"a":2}', [{ a: 1 }, { a: 2 }]],
    [
      "a table of Markdown",
      "| Name | n |\n| :--- | ---: |\n| x \\| y | 2 |",
      [{ Name: "x | y", n: "2" }],
    ],
    [
      "a table with tabs",
      "name\tsize\na\t1\nb\t2",
      [
        { name: "a", size: "1" },
        { name: "b", size: "2" },
      ],
    ],
    [
      "entries with their kind",
      "[FILE] a b.txt\n[DIR] docs",
      [
        { name: "a b.txt", type: "file" },
        { name: "docs", type: "dir" },
      ],
    ],
    [
      "entries with details, and sums below",
      "[FILE] a.txt            1.2 KB\n[DIR] docs              \n\nTotal: 1 files, 1 directories\nCombined size: 1.2 KB",
      {
        entries: [
          { name: "a.txt", type: "file", details: "1.2 KB" },
          { name: "docs", type: "dir" },
        ],
        Total: "1 files, 1 directories",
        "Combined size": "1.2 KB",
      },
    ],
    [
      "fields, moments and yes or no among them",
      "size: 12\nmodified: Sun Nov 15 2026 08:53:28 GMT+0000 (Coordinated Universal Time)\nisFile: true",
      { size: "12", modified: "2026-11-15T08:53:28.000Z", isFile: true },
    ],
    ["paths", "/a/b.txt\n/c", ["/a/b.txt", "/c"]],
    ["bullets", "- one\n- two: three, four", ["one", "two: three, four"]],
  ])("%s", (_, text, value) => {
    expect(dataIn(text)).toEqual(value);
  });

  test("a heading above items is their title", () => {
    expect(textData("Allowed directories:\n/tmp/a")).toEqual({
      kind: "json",
      value: ["/tmp/a"],
      title: "Allowed directories",
    });
  });

  test("a difference, in a fence or as it is", () => {
    const lines = ["--- a", "+++ b", "@@ -1 +1 @@", "-x", "+y"];
    expect(textData(lines.join("\n"))).toEqual({ kind: "diff", lines });
    expect(textData(`\`\`\`diff\n${lines.join("\n")}\n\`\`\`\n\n`)).toEqual({
      kind: "diff",
      lines,
    });
  });
});

describe("text that is text", () => {
  test.each([
    "",
    "Just a sentence.",
    "Note: this is one line",
    "First: a field\nand then a sentence that goes on.",
    "Name: a\nName: b",
    "{ not json",
    "/one/path",
    "- one bullet",
    "| a | b |",
    "| a | a |\n|---|---|\n| 1 | 2 |",
    "a\tb\nc",
    "```ts\nconst a = 1;\n```",
    "```json\n{}\n```\nand more",
    "Hello Ada,\n\nthe engine: it works.\n\nYours\nCharles",
    "--- a rule\n\n+ a list",
    "[TODO] one\nand a sentence",
    "x".repeat(600_000),
    // Parsed, the first is more than a Host takes, and the second more than anybody writes again.
    `${"[".repeat(60)}${"]".repeat(60)}`,
    `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
  ])("%#", (text) => {
    expect(textData(text)).toBeUndefined();
  });
});

test("no text takes long, throws, or reaches a prototype", () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "[FILE] a",
      "a: b",
      "| a | b |",
      "|---|---|",
      "- a",
      "/a",
      "@@ -1 +1 @@",
      "+++ b",
      "```",
      "__proto__: x",
      "a\tb",
      "[A]  x   y   z",
    ),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      textData(lines.join("\n"));
    }),
    { numRuns: 2000 },
  );
  const began = processorTime();
  for (const text of [
    " ".repeat(500_000),
    `[FILE] ${"a ".repeat(200_000)}`,
    `a: ${" ".repeat(400_000)}`,
    "`".repeat(400_000),
    `${"- ".repeat(200_000)}x`,
    "|".repeat(500_000),
    "a:".repeat(200_000),
  ]) {
    textData(text);
    textData(`${text}\n${text.slice(0, 1000)}`);
  }
  expect(processorTime() - began).toBeLessThan(2_000);
  expect(dataIn("__proto__: a\nconstructor: b")).toBeUndefined();
  expect(dataIn("| __proto__ |\n|---|\n| x |")).toEqual([JSON.parse('{"__proto__":"x"}')]);
  expect(({} as { x?: unknown }).x).toBeUndefined();
});
