import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const text = readFileSync(new URL("ARCHITECTURE.md", root), "utf8");
const walk = text.slice(text.indexOf("## One tool call"), text.indexOf("## Where each guarantee"));

const PATH = /`((?:packages|internal|redteam|scripts|bench|docs)\/[\w./-]+)`/g;
// A path and, in parentheses or after a comma, a name that the file defines.
const NAMED = /`(packages\/[\w./-]+\.ts)`(?:,)?\s+\(?`(\w+)`/g;

describe("ARCHITECTURE.md", () => {
  test("names only files and folders that exist", () => {
    const paths = [...text.matchAll(PATH)].map(([, path]) => path as string);
    expect(paths.length).toBeGreaterThan(50);
    expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  });

  test("walks a tool call through at least 20 files, each with the name it is known for", () => {
    const steps = [...walk.matchAll(NAMED)].map(([, path, name]) => ({ path, name }));
    expect(steps.length).toBeGreaterThanOrEqual(20);
    const missing = steps.filter(
      ({ path, name }) => !readFileSync(new URL(`${path}`, root), "utf8").includes(`${name}`),
    );
    expect(missing).toEqual([]);
  });
});
