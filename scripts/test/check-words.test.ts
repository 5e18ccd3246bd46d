import { describe, expect, test } from "vitest";
import { EXCEPTIONS, PENDING, RULES, wordFindings } from "../check-words.mjs";
import { jsonText, markdownText, splitSource } from "../text-of-source.mjs";

const words = (path: string, source: string): string[] =>
  wordFindings(path, source).map(({ word }: { word: string }) => word);

describe("check:words", () => {
  test.each([
    ["a.md", "A port is no address.", "is no X"],
    ["a.md", "The server starts anew.", "anew"],
    ["a.md", "Views of ours and others.", "of ours"],
    ["a.md", "It runs.\nWhoever calls it waits.", "whoever"],
    ["a.md", "Who calls it waits.", "Who … as a subject"],
    ["a.md", "What is not written has a default.", "What … as a subject"],
    ["a.ts", "// The page is\n// told of it.", "is told"],
    ["a.ts", "/**\n * Done by\n * hand.\n */", "by hand"],
    ["a.ts", 'throw new Error("The call was turned away.");', "turned away"],
    ["a.ts", `throw new Error(\`The ${"$"}{kind} is mended.\`);`, "to mend"],
    ["a.ts", 'test("a host hears of it", run);', "hears"],
    ["a.ts", "const ownerDesk = open();", "desk"],
    ["a.ts", 'const kind = "farewell";', "farewell"],
    ["a.tsx", "const menu = <h2>Looking for views</h2>;", "a look, to look for"],
    ["src/news-wire.ts", "export {};", "news"],
    ["a.json", '{ "description": "Served beside the page." }', "beside"],
    ["a.yaml", "# The server speaks MCP.", "speaks"],
  ])("rejects a retired word in %s: %s", (path, source, word) => {
    expect(words(path, source)).toEqual([word]);
  });

  test.each([
    ["a.md", "There is no address. It is no longer used."],
    ["a.md", "Who may call it? What is an origin?"],
    ["a.md", "The specification says so. Run `anew` or:\n\n```sh\nanew\n```"],
    ["a.ts", 'import { open } from "./owner-desk.ts";'],
    ["a.ts", "const whole = total / 2 / parts; // no regular expression"],
    ["a.ts", 'const pattern = /["anew]/; const next = 1;'],
    ["a.ts", "// Takes the first letter of a name."],
    ["a.ts", "element.hearts = shear;"],
  ])("accepts %s: %s", (path, source) => {
    expect(words(path, source)).toEqual([]);
  });

  test("reports the line of the word, also in a sentence over several lines", () => {
    const [finding] = wordFindings(
      "a.ts",
      "const a = 1;\n\n// One thing\n// and anew the other.\n",
    );
    expect(finding).toMatchObject({ path: "a.ts", line: 4, found: "anew" });
  });

  test("gives every exception a reason and every rule a replacement", () => {
    for (const { reason } of EXCEPTIONS) expect(reason).not.toBe("");
    for (const { instead } of RULES) expect(instead).not.toBe("");
    expect(new Set(PENDING).size).toBe(PENDING.length);
  });
});

describe("splitSource", () => {
  test("keeps the length and the lines of a file", () => {
    const source =
      "const a = `one $" + '{f({ b: "two words" })} three`; // four\n/* five */ x / y;\n';
    const { text, code } = splitSource(source);
    expect(text).toHaveLength(source.length);
    expect(code).toHaveLength(source.length);
    expect(text.split("\n")).toHaveLength(source.split("\n").length);
    const visible = text.replaceAll(/[\u2400\s]+/g, " ").trim();
    expect(visible).toBe("one two words three four five");
  });

  test("goes on with code after a template inside a template", () => {
    const { code } = splitSource(
      ["const a = `x $", "{b ? `y $", "{c} z` : d} w`; const last = 1;"].join(""),
    );
    expect(code).toContain("const last = 1;");
  });
});

test("Markdown and JSON keep their prose only", () => {
  expect(markdownText("See [the page](docs/anew.md) and `anew`.")).not.toContain("anew");
  expect(jsonText('{"anew": "two words"}')).not.toContain("anew");
});
