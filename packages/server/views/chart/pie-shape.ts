// Slices of a circle. No DOM.

import type { ChartData } from "../../src/templates/chart-data.ts";

export interface Slice {
  /** Rows that it stands for; several for the rest. */
  rows: number[];
  value: number;
  /** Of the whole, from 0 to 1. */
  share: number;
  /** Turns from the top, clockwise, from 0 to 1. */
  from: number;
  to: number;
}

/** Six values and the rest. */
const MOST_SLICES = 7;

/** The largest values as slices, the rest as one; what is not above zero has none. */
export function slicesOf({ series, names }: ChartData): { slices: Slice[]; left: number } {
  const values = series[0]?.values ?? [];
  const rows = names.map((_, row) => row).filter((row) => (values[row] ?? 0) > 0);
  const valueAt = (row: number): number => values[row] ?? 0;
  // As they came where all have room; else the small ones give way.
  const bySize = rows.toSorted((a, b) => valueAt(b) - valueAt(a));
  const isMany = rows.length > MOST_SLICES;
  const kept = isMany ? bySize.slice(0, MOST_SLICES - 1) : rows;
  const groups = [...kept.map((row) => [row]), ...(isMany ? [bySize.slice(MOST_SLICES - 1)] : [])];
  const sums = groups.map((group) => group.reduce((sum, row) => sum + valueAt(row), 0));
  const whole = sums.reduce((sum, value) => sum + value, 0);
  let turned = 0;
  const slices = groups.map((group, at) => {
    const value = sums[at] ?? 0;
    const share = whole > 0 ? value / whole : 0;
    const from = turned;
    turned += share;
    return { rows: group, value, share, from, to: turned };
  });
  return { slices, left: names.length - rows.length };
}

/** The outline of a slice around the origin. */
export function outline({ from, to, share }: Slice, radius: number, hole: number): string {
  const point = (turn: number, at: number): string => {
    const angle = turn * 2 * Math.PI;
    return `${(Math.sin(angle) * at).toFixed(2)} ${(-Math.cos(angle) * at).toFixed(2)}`;
  };
  // An arc that ends where it begins is none: a whole circle has two halves.
  const stops = share > 0.999 ? [from, from + 0.5, from + 1] : [from, to];
  const arc = (turns: number[], at: number, sweep: 0 | 1): string =>
    turns
      .slice(1)
      .map(
        (turn) =>
          `A${at} ${at} 0 ${share > 0.5 && stops.length < 3 ? 1 : 0} ${sweep} ${point(turn, at)}`,
      )
      .join("");
  const outer = `M${point(stops[0] ?? 0, radius)}${arc(stops, radius, 1)}`;
  if (hole === 0) return `${outer}L0 0Z`;
  const back = stops.toReversed();
  return `${outer}L${point(back[0] ?? 0, hole)}${arc(back, hole, 0)}Z`;
}
