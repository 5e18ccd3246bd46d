import { STYLE_VARIABLES } from "@vitrine/protocol/apps";
import { McpUiHostContextSchema } from "ext-apps-v2";
import { describe, expect, test } from "vitest";
import { createTheme, defaultTheme, themeContext } from "../src/theme.ts";

const colours = STYLE_VARIABLES.filter((name) => name.startsWith("--color-"));

describe("the default theme", () => {
  test("has a value for each of the 76 variables and no other key", () => {
    expect(Object.keys(defaultTheme)).toEqual(STYLE_VARIABLES);
    expect(Object.values(defaultTheme).filter((value) => !value)).toEqual([]);
    expect(JSON.stringify(defaultTheme)).not.toMatch(/undefined|NaN|null/);
  });

  test("has each colour for light and dark in one value (HST-63)", () => {
    const single = colours.filter((name) => !defaultTheme[name]?.startsWith("light-dark("));
    // Nothing looks the same on light and on dark.
    expect(single.map((name) => [name, defaultTheme[name]])).toEqual([
      ["--color-background-ghost", "transparent"],
      ["--color-border-ghost", "transparent"],
    ]);
  });
});

describe("createTheme", () => {
  test("carries a host's colours, fonts and corners to the variables that show them", () => {
    const theme = createTheme({
      background: ["ivory", "#111"],
      text: ["oklch(20% 0 0)", "white"],
      danger: "crimson",
      sans: "Inter, sans-serif",
      radius: 4,
    });
    expect(theme["--color-background-primary"]).toBe("light-dark(ivory, #111)");
    expect(theme["--color-text-inverse"]).toBe("light-dark(ivory, #111)");
    expect(theme["--color-background-inverse"]).toBe("light-dark(oklch(20% 0 0), white)");
    expect(theme["--color-text-danger"]).toBe("light-dark(crimson, crimson)");
    expect(theme["--color-border-danger"]).toContain("crimson 45%, ivory");
    expect(theme["--color-ring-info"]).toBe(defaultTheme["--color-ring-info"]);
    expect(theme["--font-sans"]).toBe("Inter, sans-serif");
    expect(theme["--font-mono"]).toBe(defaultTheme["--font-mono"]);
    expect(theme["--border-radius-md"]).toBe("4px");
    expect(theme["--border-radius-xl"]).toBe("8px");
    expect(theme["--border-radius-full"]).toBe("9999px");
  });

  test("takes single variables over, and drops a key that official Views would refuse", () => {
    const overrides = { "--color-ring-primary": "gold", "--spacing-md": "1rem" };
    const theme = createTheme({}, overrides);
    expect(theme["--color-ring-primary"]).toBe("gold");
    expect(Object.keys(theme)).toEqual(STYLE_VARIABLES);
  });
});

describe("themeContext", () => {
  test("makes the parts of a host context that the official View accepts", () => {
    const context = themeContext("dark", { fonts: "@font-face { font-family: Inter }" });
    const parsed = McpUiHostContextSchema.parse(context);
    expect(parsed.theme).toBe("dark");
    expect(Object.keys(parsed.styles?.variables ?? {})).toHaveLength(76);
    expect(parsed.styles?.css?.fonts).toContain("Inter");
  });

  test("leaves fonts out where there are none, because null or undefined is refused", () => {
    expect(themeContext("light")).toEqual({ theme: "light", styles: { variables: defaultTheme } });
  });
});
