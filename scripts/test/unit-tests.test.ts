import { expect, test } from "vitest";
import { unitTestComplaints } from "../unit-tests.mjs";

const files = (sources: Record<string, string>) => new Map(Object.entries(sources));

test("a unit test may not start a process itself", () => {
  const sources = files({
    "packages/a/test/b.test.ts": 'import { spawn } from "node:child_process";',
  });
  expect(unitTestComplaints(sources)).toEqual([
    "packages/a/test/b.test.ts is a unit test, but packages/a/test/b.test.ts imports node:child_process: name it *.process.test.ts.",
  ]);
});

test("nor with a file of test support, however far away", () => {
  const sources = files({
    "packages/a/test/c/b.test.ts": 'import { x } from "../scene.ts";',
    "packages/a/test/scene.ts": 'export { y } from "@vitrine/internal/stage";',
    "internal/src/stage.ts": 'import { Worker } from "node:worker_threads";',
  });
  expect(unitTestComplaints(sources)).toHaveLength(1);
});

test("tests of other projects, types and code under test are left alone", () => {
  const starts = 'import { spawn } from "node:child_process";';
  const sources = files({
    "packages/a/test/b.process.test.ts": starts,
    "packages/a/test/c.test.ts": 'import { x } from "../src/x.ts";',
    "packages/a/src/x.ts": starts,
    "packages/a/test/d.test.ts": 'import type { Scene } from "./scene.ts";',
    "packages/a/test/scene.ts": starts,
  });
  expect(unitTestComplaints(sources)).toEqual([]);
});
