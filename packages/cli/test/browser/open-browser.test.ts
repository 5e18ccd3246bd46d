import { expect, test } from "vitest";
import { opensBrowser } from "../../src/browser/open-browser.ts";

const base = { asked: undefined, isInteractive: true, environment: {} };

test.each([
  ["opens for a user at a terminal", base, true],
  ["doesn't open without a terminal", { ...base, isInteractive: false }, false],
  ["doesn't open in CI", { ...base, environment: { CI: "true" } }, false],
  ["doesn't open with BROWSER=none", { ...base, environment: { BROWSER: "none" } }, false],
  ["opens in CI if asked", { ...base, asked: true, environment: { CI: "1" } }, true],
  ["doesn't open if asked not to", { ...base, asked: false }, false],
])("the browser %s", (_title, choice, expected) => {
  expect(opensBrowser(choice)).toBe(expected);
});
