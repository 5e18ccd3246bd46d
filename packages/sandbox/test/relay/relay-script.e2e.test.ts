import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Defence } from "../../src/relay/defence.ts";
import { RELAY_SCRIPT } from "../../src/relay-script.ts";
import { bundleRelay, mutantOf, toRelayModule } from "./relay-bundles.ts";

const DEFENCES: Defence[] = [
  "source",
  "origin",
  "prefix",
  "size",
  "rate",
  "oversize",
  "round-trip",
  "kill",
  "hold",
  "self-test",
  "sandbox-tokens",
  "history",
  "storage",
];

test("the relay in the sources is the one that its sources make; else run scripts/build-relay.mjs", async () => {
  const script = await bundleRelay();
  expect(RELAY_SCRIPT).toBe(script);
  const file = new URL("../../src/relay-script.ts", import.meta.url);
  expect(await readFile(file, "utf8")).toBe(toRelayModule(script));
});

test("the relay is at most 5 KB over the wire", () => {
  const size = gzipSync(RELAY_SCRIPT, { level: 9 }).length;
  console.log(`relay: ${size} bytes gzip, ${RELAY_SCRIPT.length} bytes`);
  expect(size).toBeLessThanOrEqual(5 * 1024);
});

test.each([
  ["a switch for its defences", /WITHOUT/],
  ["eval", /\beval\b|\bFunction\b\s*\(/],
  ["HTML made from data", /innerHTML|outerHTML|insertAdjacent|document\.write|srcdoc/],
  ["an end of its own tag", /<\/script|<!--/i],
  ["a line break", /[\r\n]/],
  ["anything but ASCII", /[^\x20-\x7e]/],
])("the relay contains no %s", (_what, pattern) => {
  expect(RELAY_SCRIPT).not.toMatch(pattern);
});

test.each(DEFENCES)("the test build without %s is another script", async (without) => {
  expect(await mutantOf(without)).not.toBe(RELAY_SCRIPT);
});
