import { expect, test } from "vitest";
import { createEvalProbes, isGuarded } from "../../src/dev/eval-probe.ts";

// As bundlers leave what zod asks, and what Ajv and templates of Vue cannot do without.
const ASKS =
  'if(a.includes("Cloudflare"))return!1;try{const t=Function;return new t(""),!0}catch{return!1}';
const NEEDS = 'compile(){const t=Function,o=this.args;return new t(...o,"return 1")}';
const html = `<!doctype html>\n<script>\n${ASKS};class D{${NEEDS}}\n</script>`;
const placeOf = (text: string): { line: number; column: number } => ({
  line: 3,
  column: (html.split("\n")[2]?.indexOf(text) ?? 0) + 1,
});

test("text run as code in a try of its own is a question, and elsewhere a need", () => {
  expect(isGuarded(html, placeOf('new t("")'))).toBe(true);
  expect(isGuarded(html, placeOf("new t(...o"))).toBe(false);
});

test("a place that the page does not have is no question", () => {
  expect(isGuarded(html, { line: 90, column: 1 })).toBe(false);
  expect(isGuarded(html, { line: 3, column: 9_000 })).toBe(false);
  expect(isGuarded("", { line: 1, column: 1 })).toBe(false);
});

test("a try around much more than the question does not make it one", () => {
  const wide = `try{if(x){f()}${NEEDS.slice(10)}catch{}`;
  expect(isGuarded(wide, { line: 1, column: wide.indexOf("new t") + 1 })).toBe(false);
});

test("reports are judged in their order, each by the page of its own View", () => {
  const probes = createEvalProbes();
  probes.note("one", html);
  probes.note("two", "<p>");
  probes.hear({ viewId: "one", blocked: "eval", ...placeOf('new t("")') });
  probes.hear({ viewId: "one", blocked: "https://a.example", line: 1, column: 1 });
  probes.hear({ viewId: "one", blocked: "eval", ...placeOf("new t(...o") });
  probes.hear({ viewId: "two", blocked: "eval", ...placeOf('new t("")') });
  expect([probes.takeProbe("one"), probes.takeProbe("one")]).toEqual([true, false]);
  expect(probes.takeProbe("two")).toBe(false);
  // Nothing was heard of it: then it is none.
  expect(probes.takeProbe("one")).toBe(false);
});

test("a session of many reloads keeps the newest pages only", () => {
  const probes = createEvalProbes();
  for (let at = 0; at < 20; at++) probes.note(`${at}`, html);
  for (const viewId of ["3", "19"])
    probes.hear({ viewId, blocked: "eval", ...placeOf('new t("")') });
  expect(probes.takeProbe("3")).toBe(false);
  expect(probes.takeProbe("19")).toBe(true);
});
