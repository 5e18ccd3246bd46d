import { expect, test } from "vitest";
import { placeOfError } from "../../src/frame/report-place.ts";
import { codeFrame, readViewSource } from "../../src/frame/view-source.ts";

const SOURCE = "const a = 1;\nthrow new Error('second line');\n";
// Column 0 of the first line of the script is column 6 of line 2 of the source.
const map = {
  version: 3,
  sources: ["src/main.ts"],
  sourcesContent: [SOURCE],
  names: [],
  mappings: "AACM",
};
const inline = Buffer.from(JSON.stringify(map)).toString("base64");
// Not in one piece: the test's own bundler would read it.
const REFERENCE = ["source", "MappingURL"].join("");
const PAGE = `<!doctype html>
<body><script>throw new Error()
//# ${REFERENCE}=data:application/json;base64,${inline}
</script>`;
const STACK = "Error: x\n    at http://abc.localhost:123/v/xyz:2:15";

const report = { kind: "error", message: "Error: x", stack: STACK, line: 0, column: 0 } as const;

test("finds the author's file and line by a source map inside the page", async () => {
  const source = await readViewSource(PAGE, { resource: "ui://a/b", folder: "/project" });
  expect(placeOfError(report, source)).toEqual({
    file: "src/main.ts",
    line: 2,
    column: 7,
    frame: "  1 | const a = 1;\n> 2 | throw new Error('second line');\n    |       ^\n  3 |",
  });
});

test("names line and column of a page without a source map, with the code around it", async () => {
  const html = PAGE.replace(/\/\/#.*\n/, "");
  const source = await readViewSource(html, { resource: "ui://a/b" });
  expect(placeOfError(report, source)).toMatchObject({
    file: "ui://a/b",
    line: 2,
    column: 15,
    frame: expect.stringContaining("> 2 | <body><script>throw new Error()"),
  });
});

test("finds a rejected text, which has no stack, where the author wrote it", async () => {
  const source = await readViewSource(PAGE, { resource: "ui://a/b", folder: "/project" });
  const rejected = { ...report, kind: "rejection", message: "second line", stack: "" } as const;
  expect(placeOfError(rejected, source)).toMatchObject({ file: "src/main.ts", line: 2 });
});

test("ignores a source map that is damaged", async () => {
  const html = PAGE.replace(inline, "e30K");
  const source = await readViewSource(html, { resource: "ui://a/b" });
  expect(placeOfError(report, source)?.file).toBe("ui://a/b");
});

test("shows only a part of an endless line", () => {
  const frame = codeFrame([`${"x".repeat(60_000)}y`], { line: 1, column: 60_001 });
  expect(frame.length).toBeLessThan(400);
  expect(frame).toMatch(/y\n +\| +\^$/);
});
