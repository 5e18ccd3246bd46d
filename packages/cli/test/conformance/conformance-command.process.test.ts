import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { vitrine } from "../create/program.ts";

vi.setConfig({ testTimeout: 180_000 });

// As it is in the repository, on the sources.
const TEN_LINES = fileURLToPath(
  new URL("../../../../examples/ten-lines/server.mjs", import.meta.url),
);
const ON_SOURCES = "--conditions=@vitrine/source --experimental-strip-types --no-warnings";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-conformance-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const conformance = (...line: string[]) => vitrine(["conformance", ...line], { cwd: folder });

test("checks a server against the rules, and writes a report file in addition to the terminal output", async () => {
  const server = `${process.execPath} ${ON_SOURCES} ${TEN_LINES}`;
  const rules = ["--rules", "SRV-01,SRV-20"];
  const { code, out } = await conformance(
    "server",
    "--command",
    server,
    ...rules,
    "--json",
    "r.json",
  );
  expect(out).toMatch(/SRV-01/);
  expect(out).toMatch(/SRV-20/);
  expect(code).toBe(0);
  const report = JSON.parse(await readFile(join(folder, "r.json"), "utf8"));
  expect(JSON.stringify(report)).toContain('"SRV-20"');
});

test.each([
  [[], "Usage: vitrine conformance <role>"],
  [["gateway"], 'Unknown role "gateway". Choose from: server, view, host, sandbox.'],
  [["server", "--command", "no-such-program-here"], "no-such-program-here"],
  [["server", "--rule", "SRV-01"], "--rule"],
])("%j ends with words and not with a stack", async (line, words) => {
  const { code, err } = await conformance(...line);
  expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  expect(err).not.toMatch(/\n\s+at /);
});
