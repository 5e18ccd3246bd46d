// The series that a chart draws, if there are many. No DOM.

import type { ChartData } from "../../src/templates/chart-data.ts";
import { REST } from "./palette.ts";

/** More colours than this are a puzzle. */
const MOST = 6;

/**
 * At most six series and a rest: the sum of the others, where bars and areas can show one. A sum of lines
 * or points means nothing, so the others are left to the table.
 */
export function drawnOf(chart: ChartData, rest: string): { drawn: ChartData; left: number } {
  const { series, type } = chart;
  if (series.length <= MOST + 1) return { drawn: chart, left: 0 };
  const kept = series.slice(0, MOST);
  const others = series.slice(MOST);
  if (type === "line" || type === "scatter") {
    return { drawn: { ...chart, series: kept }, left: others.length };
  }
  const values = chart.names.map((_, row) => {
    const there = others.flatMap(({ values }) => values[row] ?? []);
    return there.length > 0 ? there.reduce((sum, value) => sum + value, 0) : undefined;
  });
  const sum = { key: "", label: `${rest} (${others.length})`, values, isRest: true };
  return { drawn: { ...chart, series: [...kept, sum] }, left: 0 };
}

/** The place of a series in the palette. */
export function lookOf({ series }: ChartData, at: number): number {
  return series[at]?.isRest ? REST : at;
}
