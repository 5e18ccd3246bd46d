import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { processorTime } from "@vitrine/internal/processor-time";
import { expect, test } from "vitest";
import { GUARD_SCRIPT } from "../src/guard-script.ts";
import { guardDocument } from "../src/guarded-document.ts";

interface GuardBuild {
  bundleGuard(options?: { without?: string }): Promise<string>;
  toGuardModule(script: string): string;
}

// By URL: the build is a script without types.
const { bundleGuard, toGuardModule }: GuardBuild = await import(
  new URL("../../../scripts/build-relay.mjs", import.meta.url).href
);

// The guard goes where `|` stands.
test.each([
  ["nothing", "|"],
  ["text", "|text"],
  ["a doctype", "<!doctype html>|<p>x"],
  ["a byte order mark", "\ufeff<!DOCTYPE HTML>|<p>x"],
  ["two byte order marks, of which one is text", "\ufeff|\ufeff<!doctype html><p>x"],
  ["whitespace around the tags", " \t<!doctype html>\r\n<html>\n<head>|\n<title>x</title>"],
  ["attributes", `<!doctype html><html lang=en data-a='">' b="<p>"><head id="h">|<meta>`],
  ["comments", "<!-- a --><!doctype html><!----><!--> <!-- <script> --!><html><!--->|<p>"],
  ["bogus comments", `<?xml version="1.0"?><!doctype html><![CDATA[x>|<p>`],
  ["a comment without an end", "<!doctype html>|<!-- <html><head>"],
  ["a body without a head", "<!doctype html><html>|<body>"],
  ["a script before the tags", "<!doctype html>|<script>1</script><html><head>"],
  ["a tag that is written oddly", `<!doctype html>|<html/onload="x"><head>`],
  ["a header, which only looks like a head", "<!doctype html><html>|<header>"],
  ["a quote without an end", `<!doctype html>|<html lang="en><head><script>1</script>`],
])("the guard comes before every element of a document with %s", (_what, marked) => {
  const guarded = marked.replace("|", () => `<script>${GUARD_SCRIPT}</script>`);
  expect(guardDocument(marked.replace("|", ""))).toBe(guarded);
});

test("a hostile start of 5 MB takes no longer than any other", () => {
  const starts = ["<!--", "<html a ", " ", '<html a="', "<!---->", "<? ", "<html", "</ >"];
  const begun = processorTime();
  for (const start of starts) guardDocument(start.repeat((5 * 2 ** 20) / start.length));
  expect(processorTime() - begun).toBeLessThan(4000);
});

test("the guard in the sources is the one that its sources make; else run scripts/build-relay.mjs", async () => {
  const script = await bundleGuard();
  expect(GUARD_SCRIPT).toBe(script);
  const file = new URL("../src/guard-script.ts", import.meta.url);
  expect(await readFile(file, "utf8")).toBe(toGuardModule(script));
});

test("the guard is at most 1 KB over the wire, on one line", () => {
  expect(gzipSync(GUARD_SCRIPT, { level: 9 }).length).toBeLessThanOrEqual(1024);
  expect(GUARD_SCRIPT).not.toMatch(/[\r\n]|<\/script|<!--|WITHOUT/i);
});
