import type { ChartData } from "../../src/templates/chart-data.ts";
import { fillOf, lineStyle, Marker, round } from "./looks.tsx";
import type { PlotShape, Stacks } from "./plot-shape.ts";
import { lookOf } from "./rest.ts";
import { thin } from "./scale.ts";

interface MarksProps {
  chart: ChartData;
  stacks: Stacks;
  shape: PlotShape;
  active: number | undefined;
}

const THICKEST = 48;
const MOST_POINTS = 1200;
/** Up to here every point of a line has its marker. */
const MOST_MARKERS = 40;

/** Bars, lines, areas or points. */
export function Marks(props: MarksProps) {
  const { type } = props.chart;
  if (type === "bar") return <Bars {...props} />;
  return type === "scatter" ? <Points {...props} /> : <Lines {...props} />;
}

function Bars({ chart, stacks, shape, active }: MarksProps) {
  const groups = chart.isStacked ? 1 : chart.series.length;
  const whole = Math.min(shape.band * 0.76, THICKEST * groups);
  const thickness = Math.max(1, whole / groups - (groups > 1 ? 2 : 0));
  const turn = shape.isRtl && !shape.isHorizontal ? -1 : 1;
  return (
    <>
      {stacks.map((ends, series) => {
        const side = chart.isStacked ? 0 : turn * (series - (groups - 1) / 2);
        const shift = (side * whole) / groups - thickness / 2;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a series is its place.
          <g key={series} style={fillOf(lookOf(chart, series))}>
            {shape.rows.map((row) => {
              const bar = ends[row];
              const isFaded = active !== undefined && active !== row;
              return (
                bar && (
                  <rect
                    key={row}
                    class={`bar${chart.isStacked ? " stacked" : ""}${isFaded ? " faded" : ""}`}
                    rx="2"
                    {...boxOf(shape, shape.along(row) + shift, thickness, ...bar)}
                  />
                )
              );
            })}
          </g>
        );
      })}
    </>
  );
}

/** A bar as the rectangle it is, standing or lying. */
function boxOf(shape: PlotShape, start: number, thickness: number, from: number, to: number) {
  const [a, b] = [shape.across(from), shape.across(to)];
  // A value next to zero is still a bar.
  const length = Math.max(Math.abs(b - a), from === to ? 0 : 1);
  const low = Math.min(a, b);
  const [x, y, width, height] = shape.isHorizontal
    ? [low, start, length, thickness]
    : [start, low, thickness, length];
  return { x: round(x), y: round(y), width: round(width), height: round(height) };
}

function Lines({ chart, stacks, shape, active }: MarksProps) {
  const isArea = chart.type === "area";
  return (
    <>
      {stacks.map((ends, series) => {
        const rows = thin(chart.series[series]?.values ?? [], MOST_POINTS);
        const runs = runsOf(rows, ends);
        const line = runs.map((run) => pathOf(run, shape, (row) => ends[row]?.[1])).join("");
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a series is its place.
          <g key={series}>
            {isArea && (
              <path
                class={chart.isStacked ? "area stacked" : "area"}
                d={runs.map((run) => areaOf(run, shape, ends)).join("")}
                style={fillOf(lookOf(chart, series))}
              />
            )}
            <path class="line" d={line} style={lineStyle(lookOf(chart, series))} />
            {rows.map((row) => {
              const value = ends[row]?.[1];
              const isShown = (!chart.isStacked && rows.length <= MOST_MARKERS) || row === active;
              return value === undefined || !isShown ? null : (
                <Marker
                  key={row}
                  series={lookOf(chart, series)}
                  x={shape.along(row)}
                  y={shape.across(value)}
                  large={row === active}
                />
              );
            })}
          </g>
        );
      })}
    </>
  );
}

/** Rows that follow one another without a gap. */
function runsOf(rows: readonly number[], ends: Stacks[number]): number[][] {
  const runs: number[][] = [[]];
  for (const row of rows) {
    if (ends[row] === undefined) runs.push([]);
    else runs.at(-1)?.push(row);
  }
  return runs.filter((run) => run.length > 0);
}

function pathOf(
  run: readonly number[],
  shape: PlotShape,
  valueAt: (row: number) => number | undefined,
): string {
  const points = run.map(
    (row) => `${round(shape.along(row))} ${round(shape.across(valueAt(row) ?? 0))}`,
  );
  return `M${points.join("L")}`;
}

function areaOf(run: readonly number[], shape: PlotShape, ends: Stacks[number]): string {
  const there = pathOf(run, shape, (row) => ends[row]?.[1]);
  const back = pathOf(run.toReversed(), shape, (row) => ends[row]?.[0]).slice(1);
  return `${there}L${back}Z`;
}

function Points({ stacks, shape, active }: MarksProps) {
  const step = Math.max(1, Math.ceil(shape.rows.length / MOST_POINTS));
  const rows = shape.rows.filter((row) => row % step === 0 || row === active);
  return (
    <>
      {stacks.map((ends, series) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a series is its place.
        <g key={series}>
          {rows.map((row) => {
            const value = ends[row]?.[1];
            return value === undefined ? null : (
              <Marker
                key={row}
                series={series}
                x={shape.along(row)}
                y={shape.across(value)}
                large={row === active}
              />
            );
          })}
        </g>
      ))}
    </>
  );
}
