import type { McpUiHostContext, McpUiStyles, McpUiTheme } from "@vitrine/protocol/apps";
import { STYLE_VARIABLES } from "@vitrine/protocol/apps/discovery";

/** Any CSS colour, or one for light and one for dark. A `var()` has no meaning in a view. */
export type ThemeColour = string | readonly [light: string, dark: string];

/** The few values that define a theme; values you leave out have defaults. */
export interface Palette {
  background?: ThemeColour;
  text?: ThemeColour;
  /** Links, focus, information. */
  info?: ThemeColour;
  danger?: ThemeColour;
  success?: ThemeColour;
  warning?: ThemeColour;
  sans?: string;
  mono?: string;
  /** Pixels of a medium corner radius. */
  radius?: number;
}

// Colours are named by their first letter, `-` is none. Text colours reach 4.5:1 on each of our
// surfaces, rings and the strongest border 3:1; `test/theme.browser.test.ts` measures every pair.
const OURS = {
  background: ["#fff", "#1a1b1e"],
  text: ["#1b1c20", "#ededf0"],
  info: ["#0a5dc2", "#82b8ff"],
  danger: ["#b3261e", "#ffa299"],
  success: ["#136a3b", "#6fd39a"],
  warning: ["#7d4d00", "#efbc5a"],
  sans: "system-ui, sans-serif",
  mono: "ui-monospace, monospace",
  radius: 8,
} satisfies Palette;

// How much of a colour is mixed into the background, in the published order of the variables:
// primary secondary tertiary inverse ghost info danger success warning disabled; rings have seven.
const COLOURS =
  "b t4 t8 t - i11 d11 s11 w11 t6 " +
  "t t80 t72 b t80 i d s w t58 " +
  "t56 t24 t13 t76 - i45 d45 s45 w45 t13 " +
  "i t64 b i d s w";
const TEXT_SIZES = ".75 .875 1 1.125 ";
const HEADING_SIZES = ".75 .875 1 1.25 1.5 1.875 2.25";
const LINE_HEIGHTS = "1.4 1.45 1.5 1.5 1.4 1.4 1.4 1.3 1.25 1.2 1.15";

/** Derives all 76 style variables from a palette. Unknown keys are dropped: a view rejects them. */
export function createTheme(
  palette: Palette = {},
  overrides: Partial<McpUiStyles> = {},
): McpUiStyles {
  const look = { ...OURS, ...palette };
  const colour = (code: string): string => {
    const share = code.slice(1);
    const name = Object.keys(OURS).find((key) => key[0] === code[0]) as "text" | undefined;
    if (!name) return "transparent";
    const [light, dark] = [0, 1].map((side) => {
      const [paint, ground] = [look[name], look.background].map((pair) =>
        typeof pair === "string" ? pair : pair[side],
      );
      return share ? `color-mix(in oklab, ${paint} ${share}%, ${ground})` : paint;
    });
    return `light-dark(${light}, ${dark})`;
  };
  const shade = "light-dark(rgb(0 0 0/.1), rgb(0 0 0/.5))";
  const values = [
    ...COLOURS.split(" ").map(colour),
    look.sans,
    look.mono,
    ...[400, 500, 600, 700].map(String),
    ...(TEXT_SIZES + HEADING_SIZES).split(" ").map((size) => `${size}rem`),
    ...LINE_HEIGHTS.split(" "),
    ...[0.5, 0.75, 1, 1.5, 2].map((factor) => `${factor * look.radius}px`),
    "9999px",
    "1px",
    ...["0 0 1px", "1px 2px", "4px 12px", "12px 32px"].map((shape) => `0 ${shape} ${shade}`),
  ];
  return Object.fromEntries(
    STYLE_VARIABLES.map((name, index) => [name, overrides[name] ?? values[index]]),
  ) as McpUiStyles;
}

/** Neutral, legible, light and dark. */
export const defaultTheme: McpUiStyles = /* @__PURE__ */ createTheme();

/** The parts of a host context that describe a theme; `fonts` is CSS that a view may use. */
export function themeContext(
  theme: McpUiTheme,
  { variables = defaultTheme, fonts }: { variables?: McpUiStyles; fonts?: string | undefined } = {},
): Pick<McpUiHostContext, "theme" | "styles"> {
  return { theme, styles: { variables, ...(fonts && { css: { fonts } }) } };
}
