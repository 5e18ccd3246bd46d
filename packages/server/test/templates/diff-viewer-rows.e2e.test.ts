import { describe, expect, test } from "vitest";
import { diffViewer } from "../../src/templates/diff-viewer.ts";
import { readDiff } from "../../src/templates/diff-viewer-data.ts";
import { compare, type Row, unify } from "../../views/diff-viewer/diff-rows.ts";
import { fold } from "../../views/diff-viewer/folds.ts";
import { changedWords, partsOf } from "../../views/diff-viewer/line-parts.ts";
import { findLanguage, tokensOf } from "../../views/diff-viewer/syntax.ts";

const rowsOf = (data: object, limits?: Parameters<typeof compare>[1]) => {
  const read = readDiff(data);
  if (!read) throw new Error("nothing to compare");
  return compare(read, limits);
};

/** `-3 text` for a line of the left, `+` of the right, a blank for both. */
const written = (rows: readonly Row[]): string[] =>
  rows.map(({ same, left, right }) => {
    if (same) return ` ${left?.number},${right?.number} ${right?.text}`;
    const sides = [
      left && `-${left.number} ${left.text}`,
      right && `+${right.number} ${right.text}`,
    ];
    return sides.filter(Boolean).join(" | ");
  });

describe("reading", () => {
  test("takes either pair of names, lists of lines, and one side alone", () => {
    expect(readDiff({ left: "a", right: "b" })).toMatchObject({ left: "a", right: "b" });
    expect(readDiff({ original: "a", modified: "b" })).toMatchObject({ left: "a", right: "b" });
    expect(readDiff({ left: ["a", "b"], right: "" })).toMatchObject({ left: "a\nb", right: "" });
    expect(readDiff({ right: "new" })).toMatchObject({ left: "", right: "new" });
  });

  test.each([
    [undefined],
    [null],
    ["text"],
    [[]],
    [{}],
    [{ left: 1, right: {} }],
    [{ changes: [] }],
  ])("finds nothing in %j", (data) => {
    expect(readDiff(data)).toBeUndefined();
  });

  test("makes both sides of changes alone", () => {
    const changes = [
      { value: "a\n" },
      { value: "b\n", removed: true },
      { value: "c", added: true },
    ];
    expect(readDiff({ changes })).toMatchObject({ left: "a\nb\n", right: "a\nc\n" });
  });
});

describe("comparing", () => {
  test("pairs what was replaced, and counts", () => {
    const { rows, added, removed, notes } = rowsOf({ left: "a\nb\nc\nd", right: "a\nB\nX\nc\n" });
    expect(written(rows)).toEqual([" 1,1 a", "-2 b | +2 B", "+3 X", " 3,4 c", "-4 d"]);
    expect({ added, removed, notes }).toEqual({ added: 2, removed: 2, notes: [] });
  });

  test("shows removed lines before added ones in one column", () => {
    const { rows } = rowsOf({ left: "a\nb\nc", right: "A\nB\nc" });
    expect(written(unify(rows))).toEqual(["-1 a", "-2 b", "+1 A", "+2 B", " 3,3 c"]);
  });

  test("lays out the changes of the Server, with its line numbers, as they are", () => {
    const changes = [
      { value: "ten\n", lineNumber: 10 },
      { value: "eleven\n", removed: true, lineNumber: 11, count: 1 },
      { value: "ELEVEN\nTWELVE\n", added: true, lineNumber: 11 },
      { value: "far\n", lineNumber: 40 },
    ];
    const { rows, added, removed } = rowsOf({ left: "x", right: "y", changes });
    expect(written(rows)).toEqual([
      " 10,10 ten",
      "-11 eleven | +11 ELEVEN",
      "+12 TWELVE",
      " 40,40 far",
    ]);
    expect({ added, removed }).toEqual({ added: 2, removed: 1 });
  });

  test("notes that only line ends differ, and notes nothing for equal texts", () => {
    expect(rowsOf({ left: "a\r\nb\r\n", right: "a\nb" }).notes).toEqual(["line-ends"]);
    expect(rowsOf({ left: "a\nb\n", right: "a\nb\n" }).notes).toEqual([]);
  });

  test("compares only the beginning of long texts, with a note", () => {
    const text = (word: string): string =>
      Array.from({ length: 50 }, (_, at) => `${word} ${at}`).join("\n");
    const limits = { characters: 1000, lines: 10, milliseconds: 400 };
    const { rows, notes } = rowsOf({ left: text("a"), right: text("a") }, limits);
    expect(rows).toHaveLength(10);
    expect(notes).toEqual(["cut"]);
    const changes = [{ value: text("a"), added: true }];
    expect(rowsOf({ changes }, limits)).toMatchObject({ added: 10, notes: ["cut"] });
  });

  test("gives up on texts that have nothing in common, before anybody waits", () => {
    const text = (word: string): string =>
      Array.from({ length: 20_000 }, (_, at) => `${word}${(at * 7919) % 20_000}`).join("\n");
    const start = performance.now();
    const { rows, notes } = rowsOf({ left: text("a"), right: text("b") });
    expect(performance.now() - start).toBeLessThan(4000);
    expect(rows).toHaveLength(20_000);
    expect(notes).toEqual(["coarse"]);
  });
});

describe("folding", () => {
  const same = (count: number): Row[] =>
    Array.from({ length: count }, (_, at) => {
      const line = { number: at + 1, text: "x" };
      return { same: true, left: line, right: line };
    });
  const change: Row = { same: false, left: undefined, right: { number: 1, text: "new" } };
  const shape = (rows: Row[], opened: number[] = []): string =>
    fold(rows, new Set(opened))
      .map((item) => ("fold" in item ? `[${item.fold.from}-${item.fold.to}]` : "."))
      .join("");

  test("leaves three lines around each change", () => {
    const rows = [...same(20), change, ...same(20), change, ...same(20)];
    expect(shape(rows)).toBe("[0-17].......[24-38].......[45-62]");
    expect(shape(rows, [24])).toBe(`[0-17]${".".repeat(28)}[45-62]`);
  });

  test("folds nothing that is short, and not a comparison without changes", () => {
    expect(shape([...same(6), change, ...same(9), change])).toBe(".".repeat(17));
    expect(shape(same(100))).toBe(".".repeat(100));
  });
});

describe("a line", () => {
  test("has the words that changed marked", () => {
    const words = changedWords("const total = price * 2;", "const total = price * count;");
    expect(words).toEqual({ left: [[22, 23]], right: [[22, 27]] });
    expect(changedWords("one two three", "entirely other words")).toBeUndefined();
    expect(changedWords("x".repeat(2000), "y".repeat(2000))).toBeUndefined();
  });

  test("is divided by syntax, changes and control characters", () => {
    const tokens = [["keyword", 3] as const, [undefined, 8] as const];
    const parts = partsOf("let a\u202E = 10", tokens, [[4, 5]]);
    expect(parts.map(({ text, token, changed }) => [text, token, changed])).toEqual([
      ["let", "keyword", false],
      [" ", undefined, false],
      ["a", undefined, true],
      ["U+202E", undefined, false],
      [" = 10", undefined, false],
    ]);
  });

  test("is coloured by its language, found by name, ending or look", () => {
    const classes = (line: string, name?: string): string[] =>
      (tokensOf([line], findLanguage([name], line))[0] ?? []).flatMap(([type]) => type ?? []);
    expect(classes("const a = 'x'; // why", "ts")).toEqual(["keyword", "string", "comment"]);
    expect(classes("def f(): # why", "src/main.py")).toEqual(["keyword", "comment"]);
    expect(classes("SELECT a FROM b", "sql")).toEqual(["keyword", "keyword"]);
    expect(classes('{"a": 1}')).toContain("property");
    expect(classes("Hello Sir, don't worry, it's fine")).toEqual([]);
  });

  test("keeps the lexer to its own line when a quote is never closed", () => {
    const lines = ["const a = 'never closed", "const b = 1;"];
    expect(tokensOf(lines, findLanguage(["js"], ""))[1]?.[0]).toEqual(["keyword", 5]);
  });

  test.each(["a", "`\\", "'", "/", "/*", "<a ", "1."])(
    "of %j without end is lexed in no time",
    (seed) => {
      const lines = Array.from({ length: 240 }, () => seed.repeat(400 / seed.length));
      const start = performance.now();
      for (const name of ["ts", "py", "sql", "json", "go"])
        tokensOf(lines, findLanguage([name], ""));
      tokensOf([seed.repeat(90_000 / seed.length)], findLanguage(["ts"], ""));
      expect(performance.now() - start).toBeLessThan(5000);
    },
  );
});

describe("without a View", () => {
  const describeDiff = (data: unknown, config = {}): string =>
    diffViewer(config).describe?.(data) ?? "";

  test("the model reads what differs", () => {
    const text = describeDiff(
      { left: "a\nb\nc", right: "a\nX\nY\nc", rightTitle: "new.txt" },
      { title: "Proposed" },
    );
    expect(text).toBe("Proposed\n--- Original\n+++ new.txt\n@@ -2,1 +2,2 @@\n-b\n+X\n+Y");
    expect(describeDiff({ left: "a", right: "a" })).toContain("(both sides are equal)");
    const changes = [{ value: "old\n", removed: true }, { value: "same\n" }];
    expect(describeDiff({ changes })).toBe("--- Original\n+++ Modified\n-old");
  });

  test("the text is limited, and data of another shape is still described", () => {
    const long = describeDiff({ left: "", right: "x\n".repeat(100_000) });
    expect(long).toContain("… 99960 more lines");
    expect(long.length).toBeLessThan(1000);
    expect(describeDiff({ other: "thing" })).toContain("thing");
  });
});

test("fits schemas with two texts", () => {
  const schema = (...names: string[]) => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  });
  expect(diffViewer.fit(schema("left", "right"))).toBeGreaterThan(0.9);
  expect(diffViewer.fit(schema("original", "modified", "path"))).toBeGreaterThan(0.9);
  expect(diffViewer.fit(schema("left"))).toBe(0);
  expect(diffViewer.fit({})).toBe(0);
});
