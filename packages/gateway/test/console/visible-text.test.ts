import { expect, it } from "vitest";
import { visibleRuns, visibleText } from "../../console/visible-text.ts";

it("shows characters that reorder or hide text by their codes", () => {
  expect(visibleText("invoice\u202Etxt.exe")).toBe("invoice[U+202E]txt.exe");
  expect(visibleText("delete\u200b_all")).toBe("delete[U+200B]_all");
  expect(visibleText("a\u0000b\u001b[31mc\u2066d\u{e0041}")).toBe(
    "a[U+0000]b[U+001B][31mc[U+2066]d[U+E0041]",
  );
  expect(visibleText("x\ud800y")).toBe("x[U+D800]y");
});

it("leaves ordinary text of any language alone, and emoji that are joined from several", () => {
  for (const text of ["Wetter für Köln", "سلام دنیا", "天気", "👩‍🚀 starts", "a\u00a0b"]) {
    expect(visibleText(text)).toBe(text);
  }
});

it("keeps line breaks in a text of several lines only", () => {
  expect(visibleRuns("a\nb", { lines: true })).toEqual([{ text: "a\nb" }]);
  expect(visibleText("a\nb")).toBe("a[U+000A]b");
});

it("marks a code, so that text that spells one can't pass for it", () => {
  expect(visibleRuns("U+202E\u202E")).toEqual([
    { text: "U+202E" },
    { text: "\u202E", code: "U+202E" },
  ]);
});
