// Which row of a chart is meant, by a key or by a pointer. No DOM.

import type { ChartData } from "../../src/templates/chart-data.ts";
import type { PlotShape, Stacks } from "./plot-shape.ts";

/** The row that a key leads to; "none" where reading ends. */
export function rowAfter(
  key: string,
  order: readonly number[],
  active: number | undefined,
  isRtl: boolean,
): number | "none" | undefined {
  const at = active === undefined ? -1 : order.indexOf(active);
  const last = order.length - 1;
  const onward = isRtl ? "ArrowLeft" : "ArrowRight";
  const backward = isRtl ? "ArrowRight" : "ArrowLeft";
  if (key === "Escape") return active === undefined ? undefined : "none";
  if (key === "Home") return order[0];
  if (key === "End") return order[last];
  if (key === onward || key === "ArrowDown") return order[Math.min(at + 1, last)];
  if (key === backward || key === "ArrowUp") return order[at < 0 ? last : Math.max(at - 1, 0)];
  return undefined;
}

/** The row next to a place: along the axis, and for points by their distance. */
export function rowAt(
  x: number,
  y: number,
  { chart, stacks, shape }: { chart: ChartData; stacks: Stacks; shape: PlotShape },
): number | undefined {
  const distance = (row: number): number => {
    const along = shape.along(row) - (shape.isHorizontal ? y : x);
    if (chart.type !== "scatter") return Math.abs(along);
    const heights = stacks.flatMap((ends) => ends[row]?.[1] ?? []);
    return Math.min(...heights.map((value) => Math.hypot(along, shape.across(value) - y)));
  };
  let [nearest, least]: [number | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
  for (const row of shape.rows) {
    const far = distance(row);
    if (far < least) [nearest, least] = [row, far];
  }
  return nearest;
}
