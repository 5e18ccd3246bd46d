import { readFile } from "node:fs/promises";
import { isStyleVariable } from "@vitrine/protocol/apps";
import { expect, test } from "vitest";
import { variablesWithoutFallback } from "../style-fallbacks.mjs";
import { listFiles } from "../tracked-files.mjs";

test("a variable without a fallback is found, also inside another's fallback", () => {
  expect(variablesWithoutFallback("a { color: var(--x) }")).toEqual(["--x"]);
  expect(variablesWithoutFallback("a { color: var( --x , red) }")).toEqual([]);
  expect(variablesWithoutFallback("a { color: var(--x, var(--y)) }")).toEqual(["--y"]);
});

test("each of our pages has a fallback for every host variable (VEW-26)", async () => {
  const files = await listFiles(
    /^(examples|bench|packages\/[^/]+\/(src|views))\/.*\.(html|css|ts|tsx|mjs)$/,
  );
  // The Host's own style sheets aren't a View's: they use variables that they set themselves.
  const pages = files.filter((path) => !path.startsWith("packages/host/"));
  expect(pages.length).toBeGreaterThan(20);
  const missing: string[] = [];
  for (const path of pages) {
    for (const name of variablesWithoutFallback(await readFile(path, "utf8"))) {
      // Others are the page's own, and it sets them itself.
      if (isStyleVariable(name)) missing.push(`${path}: ${name}`);
    }
  }
  expect(missing).toEqual([]);
});
