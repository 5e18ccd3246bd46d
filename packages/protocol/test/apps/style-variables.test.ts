import { describe, expect, test } from "vitest";
import { isStyleVariable, STYLE_VARIABLES } from "../../src/apps/style-variables.ts";
import { published } from "./official.ts";

describe("the style variables", () => {
  test("are the published ones in the published order", () => {
    const keys = (published.McpUiStyleVariableKey as { anyOf: { const: string }[] }).anyOf;
    expect(STYLE_VARIABLES).toEqual(keys.map((key) => key.const));
    expect(STYLE_VARIABLES).toHaveLength(76);
  });

  test.each(STYLE_VARIABLES)("include %s", (name) => {
    expect(isStyleVariable(name)).toBe(true);
  });

  test.each([
    "--border-radius-small", // in the specification's own example, yet no key
    "--color-ring-ghost",
    "--font-text-xl-size",
    "--spacing-md",
    "color-text-primary",
    "--COLOR-TEXT-PRIMARY",
    "__proto__",
    "constructor",
    "",
    undefined,
    null,
    7,
    ["--font-sans"],
  ])("do not include %j", (name) => {
    expect(isStyleVariable(name)).toBe(false);
  });
});
