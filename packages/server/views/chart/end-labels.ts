// Names of series next to the ends of their lines, in place of a legend. No DOM.

import type { ChartData } from "../../src/templates/chart-data.ts";
import type { PlotShape, Stacks } from "./plot-shape.ts";
import { widthOf } from "./text-width.ts";

/** A name, and its height in the plot. */
export interface EndLabel {
  text: string;
  at: number;
}

const LINE = 15;
/** A name further than this from its line seems to belong to another. */
const FURTHEST = 26;
const LEAST_WIDTH = 480;

/** Room that the names need next to the plot; undefined if a legend serves better. */
export function endMargin({ type, series, isStacked }: ChartData, width: number) {
  const isLine = type === "line" || (type === "area" && isStacked);
  if (!isLine || series.length < 2 || width < LEAST_WIDTH) return undefined;
  const widest = Math.max(...series.map(({ label }) => widthOf(label)));
  return widest <= Math.min(160, width * 0.25) ? Math.ceil(widest) + 16 : undefined;
}

/** The names without overlaps; undefined if that takes them too far from their lines. */
export function endLabels(
  { series, isStacked }: ChartData,
  stacks: Stacks,
  { rows, across, top, bottom }: PlotShape,
): EndLabel[] | undefined {
  const last = rows.at(-1) ?? 0;
  const wanted: EndLabel[] = [];
  for (const [at, { label }] of series.entries()) {
    const end = stacks[at]?.[last];
    if (!end) return undefined;
    const value = isStacked ? (end[0] + end[1]) / 2 : end[1];
    wanted.push({ text: label, at: across(value) });
  }
  const placed = wanted.toSorted((a, b) => a.at - b.at).map((one) => ({ ...one, from: one.at }));
  for (const [at, one] of placed.entries()) {
    one.at = Math.max(one.at, at > 0 ? (placed[at - 1]?.at ?? 0) + LINE : top);
  }
  for (const [at, one] of [...placed.entries()].reverse()) {
    one.at = Math.min(one.at, at < placed.length - 1 ? (placed[at + 1]?.at ?? 0) - LINE : bottom);
  }
  const isClose = placed.every(({ at, from }) => Math.abs(at - from) <= FURTHEST);
  return isClose ? placed.map(({ text, at }) => ({ text, at })) : undefined;
}
