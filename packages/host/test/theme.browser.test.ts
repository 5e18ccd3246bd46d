import type { McpUiStyleVariableKey } from "@vitrine/protocol/apps";
import { describe, expect, test } from "vitest";
import { createTheme, defaultTheme } from "../src/theme.ts";

const SURFACES = ["primary", "secondary", "tertiary"];
const TONES = ["info", "danger", "success", "warning"];

/** Text and the backgrounds it is made for: every plain text on every surface, each tone on its own. */
const TEXT_PAIRS: [text: string, background: string][] = [
  ...[...SURFACES, "ghost", ...TONES].flatMap((text) =>
    SURFACES.map((background): [string, string] => [text, background]),
  ),
  ...["inverse", ...TONES].map((tone): [string, string] => [tone, tone]),
  ...TONES.map((tone): [string, string] => ["primary", tone]),
];

const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });

/** The bytes a browser paints for a variable, over white or black where it is translucent. */
function paint(name: string, scheme: "light" | "dark", theme = defaultTheme): number[] {
  const element = document.body.appendChild(document.createElement("i"));
  element.style.colorScheme = scheme;
  element.style.color = theme[name as McpUiStyleVariableKey] ?? "";
  const { color } = getComputedStyle(element);
  element.remove();
  if (!canvas) throw new Error("This browser draws nothing.");
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
}

/** Relative luminance, WCAG 2.2. */
function luminance(bytes: number[]): number {
  const [red = 0, green = 0, blue = 0] = bytes.map((byte) => {
    const share = byte / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string, scheme: "light" | "dark"): number {
  const [low = 0, high = 0] = [one, other]
    .map((name) => luminance(paint(`--color-${name}`, scheme)))
    .sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

describe.each(["light", "dark"] as const)("the default theme, %s,", (scheme) => {
  test.each(TEXT_PAIRS)("has text-%s legible on background-%s", (text, background) => {
    expect(contrast(`text-${text}`, `background-${background}`, scheme)).toBeGreaterThanOrEqual(
      4.5,
    );
  });

  test("keeps disabled text recognisable", () => {
    expect(contrast("text-disabled", "background-disabled", scheme)).toBeGreaterThanOrEqual(3);
  });

  test.each(["primary", "secondary", ...TONES])("shows ring-%s on every surface", (ring) => {
    for (const surface of SURFACES) {
      expect(contrast(`ring-${ring}`, `background-${surface}`, scheme)).toBeGreaterThanOrEqual(3);
    }
  });

  test("shows ring-inverse on the inverse background, and the outline of a field", () => {
    expect(contrast("ring-inverse", "background-inverse", scheme)).toBeGreaterThanOrEqual(3);
    expect(contrast("border-primary", "background-primary", scheme)).toBeGreaterThanOrEqual(3);
  });
});

test("the default theme is another one in the dark", () => {
  const name = "--color-background-primary";
  expect(luminance(paint(name, "light"))).toBeGreaterThan(0.9);
  expect(luminance(paint(name, "dark"))).toBeLessThan(0.02);
});

test("every value is one the browser understands for its property", () => {
  const properties: [RegExp, string][] = [
    [/^--color/, "color"],
    [/^--font-(?:sans|mono)/, "font-family"],
    [/^--font-weight/, "font-weight"],
    [/-size$/, "font-size"],
    [/-line-height$/, "line-height"],
    [/^--border-radius/, "border-radius"],
    [/^--border-width/, "border-width"],
    [/^--shadow/, "box-shadow"],
  ];
  const refused = Object.entries(createTheme({ background: "oklch(98% 0 0)" })).filter(
    ([name, value]) => {
      const property = properties.find(([pattern]) => pattern.test(name))?.[1] ?? "";
      return !CSS.supports(property, value ?? "");
    },
  );
  expect(refused).toEqual([]);
});
