import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { chromiumOptions } from "../src/targets/chromium-options.ts";

test("opens untrusted views in a sandboxed Chromium, unless it could not start with a sandbox", () => {
  const isSandboxed = (uid: number, env: NodeJS.ProcessEnv = {}): boolean =>
    chromiumOptions([], { uid, env }).chromiumSandbox;
  expect(isSandboxed(1000)).toBe(true);
  expect(isSandboxed(0)).toBe(false);
  expect(isSandboxed(1000, { VITRINE_NO_SANDBOX: "1" })).toBe(false);
  expect(isSandboxed(1000, { VITRINE_NO_SANDBOX: "" })).toBe(true);
  expect(chromiumOptions([]).args.join(" ")).not.toContain("no-sandbox");
});

// Playwright turns the sandbox off by default. A program that isn't a browser exits at once, and its
// command line is in the error.
test("starts that way with Playwright", async () => {
  const started = (uid: number): Promise<string> =>
    chromium
      .launch({ ...chromiumOptions([], { uid, env: {} }), executablePath: process.execPath })
      .then(() => "", String);
  expect(await started(1000)).toMatch(/--headless(?!.*--no-sandbox)/s);
  expect(await started(0)).toMatch(/--no-sandbox/);
});
