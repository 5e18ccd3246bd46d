import { expect, test } from "vitest";
import { PALETTE } from "../../views/chart/palette.ts";

const BACKGROUNDS = { light: ["#ffffff", "#f6f6f6"], dark: ["#1a1b1e", "#222326"] } as const;
const CLEAR = 3;
// In OKLab, where 0.02 is a difference that one just sees.
const DIFFERENT = 0.07;

type Color = [red: number, green: number, blue: number];

/** What people see who lack one kind of cone, in linear light (Machado, Oliveira and Fernandes 2009). */
const EYES: Record<string, number[][]> = {
  "all cones": [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
};

function linear(hex: string): Color {
  return [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Color;
}

function luminance([red, green, blue]: Color): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [one, other]
    .map((hex) => luminance(linear(hex)))
    .sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function seenBy(matrix: number[][], color: Color): Color {
  return matrix.map((row) => {
    const sum = row.reduce((sum, factor, at) => sum + factor * (color[at] ?? 0), 0);
    return Math.min(1, Math.max(0, sum));
  }) as Color;
}

function oklab([red, green, blue]: Color): Color {
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

test.each(["light", "dark"] as const)(
  "every colour stands out from the %s backgrounds",
  (theme) => {
    for (const pair of PALETTE) {
      const color = pair[theme === "light" ? 0 : 1];
      for (const background of BACKGROUNDS[theme]) {
        expect(contrast(color, background), `${color} on ${background}`).toBeGreaterThanOrEqual(
          CLEAR,
        );
      }
    }
  },
);

test.each(
  Object.keys(EYES).flatMap((eyes) => [
    [eyes, 0],
    [eyes, 1],
  ]) as [string, 0 | 1][],
)("no two colours look alike to people with %s (theme %s)", (eyes, theme) => {
  const seen = PALETTE.map((pair) => oklab(seenBy(EYES[eyes] ?? [], linear(pair[theme]))));
  for (const [at, one] of seen.entries()) {
    for (const [before, other] of seen.slice(0, at).entries()) {
      const distance = Math.hypot(...one.map((part, axis) => part - (other[axis] ?? 0)));
      expect(distance, `${PALETTE[at]?.[theme]} and ${PALETTE[before]?.[theme]}`).toBeGreaterThan(
        DIFFERENT,
      );
    }
  }
});
