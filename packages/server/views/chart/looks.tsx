// Distinguishes series by colour and shape; with `patterns` also by patterns and dashes.

import type { ChartType } from "../../src/templates/chart-data.ts";
import { PALETTE } from "./palette.ts";

/** The colour of a series. */
const colorOf = (series: number): string => `var(--color-${series % 8})`;

/** What a bar, an area or a slice is filled with. */
export const fillOf = (series: number): { fill: string } => ({ fill: `var(--fill-${series % 8})` });

const DASHES = ["", "7 4", "2 3", "10 3 2 3", "4 2", "12 4", "1 4", "6 2 1 2 1 2"];

/** Colours, fills and dashes as variables, from which all marks take theirs. */
export function looksOf(hasPatterns: boolean): Record<string, string> {
  return Object.fromEntries(
    PALETTE.flatMap(([light, dark], at) => [
      [`--color-${at}`, `light-dark(${light}, ${dark})`],
      [`--fill-${at}`, hasPatterns ? `url(#fill-${at})` : `var(--color-${at})`],
      [`--dash-${at}`, (hasPatterns && DASHES[at]) || "none"],
    ]),
  );
}

// Drawn on 8 × 8 in the colour of the background; the first is plain.
const PATTERNS = [
  "",
  "M-2 2l4-4M0 8l8-8M6 10l4-4",
  "M2 2h1v1h-1zM6 6h1v1h-1z",
  "M0 4h8",
  "M4 0v8",
  "M-2 6l4 4M0 0l8 8M6-2l4 4",
  "M0 4h8M4 0v8",
  "M0 2l4 4l4-4",
];

/** The patterns of all series; drawn once, used wherever `fillOf` stands. */
export function Patterns() {
  return (
    <svg class="fills" aria-hidden="true">
      <defs>
        {PATTERNS.map((path, series) => (
          <pattern
            key={path}
            id={`fill-${series}`}
            width="8"
            height="8"
            patternUnits="userSpaceOnUse"
          >
            <rect width="8" height="8" style={{ fill: colorOf(series) }} />
            <path d={path} class="pattern" />
          </pattern>
        ))}
      </defs>
    </svg>
  );
}

// Around the origin, about as large as one another.
const SHAPES = [
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
  "M-3.5-3.5h7v7h-7z",
  "M0-4.5l4.5 8h-9z",
  "M0-5l5 5l-5 5l-5-5z",
  "M0 4.5l4.5-8h-9z",
  "M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
  "M-4.5-1.5h9v3h-9z",
  "M-1.5-4.5h3v9h-3z",
];

/** A point of a series. */
export function Marker({
  series,
  x,
  y,
  large,
}: {
  series: number;
  x: number;
  y: number;
  large?: boolean;
}) {
  const scale = large ? " scale(1.5)" : "";
  return (
    <path
      class="marker"
      d={SHAPES[series % SHAPES.length]}
      style={{ fill: colorOf(series) }}
      transform={`translate(${round(x)} ${round(y)})${scale}`}
    />
  );
}

/** What a series of a chart looks like in few pixels. */
export type SwatchKind = "fill" | "line" | "marker";

export function swatchOf(type: ChartType): SwatchKind {
  if (type === "scatter") return "marker";
  return type === "line" ? "line" : "fill";
}

/** A series, small. */
export function Swatch({ series, as }: { series: number; as: SwatchKind }) {
  return (
    <svg class="swatch" viewBox="0 0 20 14" aria-hidden="true">
      {as === "fill" ? (
        <rect x="2" y="1" width="16" height="12" rx="2" style={fillOf(series)} />
      ) : (
        <>
          {as === "line" && <path class="line" d="M0 7h20" style={lineStyle(series)} />}
          <Marker series={series} x={10} y={7} />
        </>
      )}
    </svg>
  );
}

/** Colour and dashes of a line. */
export function lineStyle(series: number): { stroke: string; strokeDasharray: string } {
  return { stroke: colorOf(series), strokeDasharray: `var(--dash-${series % 8})` };
}

/** Half a pixel is enough, and the page shorter. */
export function round(pixel: number): number {
  return Math.round(pixel * 10) / 10;
}
