import { expect, test } from "vitest";
import { withAgent } from "../../src/frame/agent-page.ts";
import { agentScript } from "../../src/frame/frame-agent.ts";

const receiver = { target: "http://vitrine.localhost:1", page: "7" };

/** The location of a text, from 1. */
function placeOf(html: string, text: string): { line: number; column: number } {
  const before = html.slice(0, html.indexOf(text)).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

test.each([
  ["on one line", "<!doctype html><html><head><script>const mark = 1;</script></head></html>"],
  ["on several lines", "<!doctype html>\n<html>\n<head>\n<script>\n  const mark = 1;\n</script>"],
  ["without a head", "<p>Text</p>\n<script>const mark = 1;</script>"],
])("maps locations of a page %s back to the page as it was written", (_, html) => {
  const page = withAgent(html, receiver);
  expect(page.html).not.toBe(html);
  expect(page.origin(placeOf(page.html, "const mark"))).toEqual(placeOf(html, "const mark"));
  // The sandbox adds its guard at the same place, before the agent.
  const guarded = page.html.replace("<script>\n", "<script>guard()</script><script>\n");
  expect(page.origin(placeOf(guarded, "const mark"))).toEqual(placeOf(html, "const mark"));
});

test("comes before every script of the page, and keeps its doctype", () => {
  const { html } = withAgent("<!doctype html><html><head><script>early()</script>", receiver);
  expect(html).toMatch(/^<!doctype html><html><head><script>\n/);
  expect(html.indexOf("vitrine-agent")).toBeLessThan(html.indexOf("early()"));
});

test("has no location in the author's page for its own code", () => {
  const page = withAgent("<p>Text</p>", receiver);
  expect(page.origin(placeOf(page.html, "addEventListener"))).toBeUndefined();
});

test("doesn't end its own script element", () => {
  expect(agentScript(receiver)).not.toMatch(/<\/script|<!--/i);
});
