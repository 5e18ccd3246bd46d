import { printable, printableJson, printableLines, shellQuoted } from "@vitrine/protocol/printable";
import { expect, test } from "vitest";

test.each([
  ["\u001b]52;c;AAAA\u0007", "\\x1b]52;c;AAAA\\x07"],
  ["a\r\nb\tc", "a\\r\\nb\\tc"],
  ["\u009b31m\u007f", "\\x9b31m\\x7f"],
  ["a\u202eb\u2066c\u2028d\u061c", "a\\u202eb\\u2066c\\u2028d\\u061c"],
  ["\ud800x", "\\ud800x"],
  ["tag\u{e0041}", "tag\\u{e0041}"],
  ["::error::forged", "\\::error::forged"],
  ["  ::stop-commands::t", "  \\::stop-commands::t"],
  ["x ##[error]y ##vso[task.complete]", "x ##\\[error]y ##\\vso[task.complete]"],
  ["Tromsø 東京 👩‍🚀 a::b #1", "Tromsø 東京 👩‍🚀 a::b #1"],
])("%j is shown as %j", (given, shown) => {
  expect(printable(given)).toBe(shown);
  expect(printable(shown)).toBe(shown);
});

test("lines stay lines, and none of them is a command of a CI runner", () => {
  expect(printableLines("a\r\n\tb\n  ::error::x\n\u001b[2Jc\rd\n")).toBe(
    "a\n\tb\n  \\::error::x\n\\x1b[2Jc\\rd\n",
  );
});

test("JSON means the same, without what a terminal would obey", () => {
  const value = { "k\u202e": "\u009b\u007f\u2028\u{e0041}\ud800 ø" };
  const json = printableJson(`${JSON.stringify(value)}\n`);
  expect(json).toMatch(/^[\x20-\x7eø]+\n$/);
  expect(JSON.parse(json)).toEqual(value);
});

test.each([
  ["tool={}", "'tool={}'"],
  ["plain-name", "plain-name"],
  ["-rf", "'-rf'"],
  ["", "''"],
  ["x'; touch PWNED; echo '", "'x'\\''; touch PWNED; echo '\\'''"],
  ["$(id)`id`\n", "'$(id)`id`\\n'"],
])("the word %j is quoted as %s", (word, quoted) => {
  expect(shellQuoted(word)).toBe(quoted);
});
