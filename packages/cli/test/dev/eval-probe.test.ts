import { expect, test } from "vitest";
import { createEvalProbes, isGuarded } from "../../src/dev/eval-probe.ts";

// Bundled code of zod, which only tests for eval, and of Ajv and Vue templates, which need it.
const ASKS =
  'if(a.includes("Cloudflare"))return!1;try{const t=Function;return new t(""),!0}catch{return!1}';
const NEEDS = 'compile(){const t=Function,o=this.args;return new t(...o,"return 1")}';
const html = `<!doctype html>\n<script>\n${ASKS};class D{${NEEDS}}\n</script>`;
const placeOf = (text: string): { line: number; column: number } => ({
  line: 3,
  column: (html.split("\n")[2]?.indexOf(text) ?? 0) + 1,
});

test("eval inside its own try block is a probe, and elsewhere it isn't", () => {
  expect(isGuarded(html, placeOf('new t("")'))).toBe(true);
  expect(isGuarded(html, placeOf("new t(...o"))).toBe(false);
});

test("a location outside the page isn't a probe", () => {
  expect(isGuarded(html, { line: 90, column: 1 })).toBe(false);
  expect(isGuarded(html, { line: 3, column: 9_000 })).toBe(false);
  expect(isGuarded("", { line: 1, column: 1 })).toBe(false);
});

test("eval inside a large try block isn't a probe", () => {
  const wide = `try{if(x){f()}${NEEDS.slice(10)}catch{}`;
  expect(isGuarded(wide, { line: 1, column: wide.indexOf("new t") + 1 })).toBe(false);
});

test("evaluates reports in order, each with its own view's page", () => {
  const probes = createEvalProbes();
  probes.note("one", html);
  probes.note("two", "<p>");
  probes.addReport({ viewId: "one", blocked: "eval", ...placeOf('new t("")') });
  probes.addReport({ viewId: "one", blocked: "https://a.example", line: 1, column: 1 });
  probes.addReport({ viewId: "one", blocked: "eval", ...placeOf("new t(...o") });
  probes.addReport({ viewId: "two", blocked: "eval", ...placeOf('new t("")') });
  expect([probes.takeProbe("one"), probes.takeProbe("one")]).toEqual([true, false]);
  expect(probes.takeProbe("two")).toBe(false);
  // This view sends no further report.
  expect(probes.takeProbe("one")).toBe(false);
});

test("keeps only the newest pages of a session with many reloads", () => {
  const probes = createEvalProbes();
  for (let at = 0; at < 20; at++) probes.note(`${at}`, html);
  for (const viewId of ["3", "19"])
    probes.addReport({ viewId, blocked: "eval", ...placeOf('new t("")') });
  expect(probes.takeProbe("3")).toBe(false);
  expect(probes.takeProbe("19")).toBe(true);
});
