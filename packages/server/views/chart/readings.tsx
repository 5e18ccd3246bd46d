import type { ChartConfig } from "../../src/templates/chart.ts";
import type { ChartData } from "../../src/templates/chart-data.ts";
import { cut } from "../shell/shell.tsx";
import { round, Swatch, swatchOf } from "./looks.tsx";
import type { PlotShape } from "./plot-shape.ts";
import { lookOf } from "./rest.ts";
import { extent } from "./scale.ts";
import { widthOf } from "./text-width.ts";
import type { Writing } from "./writing.ts";

interface ReadingProps {
  chart: ChartData;
  shape: PlotShape;
  writing: Writing;
}

/** A tooltip with the values of one row, shifted so that it never leaves the chart. */
export function Reading({ row, chart, shape, writing }: ReadingProps & { row: number }) {
  const x = shape.isHorizontal ? (shape.left + shape.right) / 2 : shape.along(row);
  const y = shape.isHorizontal ? shape.along(row) + shape.band / 2 : 0;
  const share = Math.min(Math.max(x / shape.width, 0), 1) * 100;
  return (
    <div class="reading" style={{ left: `${x}px`, top: `${y}px`, translate: `${-share}% 0` }}>
      <strong>
        <bdi>{cut(writing.name(row), 60)}</bdi>
      </strong>
      <ul>
        {chart.series.map(({ key, label, values }, series) => (
          <li key={key}>
            <Swatch series={lookOf(chart, series)} as={swatchOf(chart.type)} />
            <bdi>{cut(label, 40)}</bdi>
            <span class="number">{writing.value(values[row])}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Values at single bars, where the config or the room allows. */
export function hasValues(
  chart: ChartData,
  config: ChartConfig,
  shape: PlotShape,
  writing: Writing,
) {
  if (chart.type !== "bar" || config.showValues === false) return false;
  if (chart.series.length > 1) return false;
  if (config.showValues || shape.isHorizontal) return true;
  const [first] = chart.series;
  const widest = Math.max(
    0,
    ...shape.rows.map((row) => widthOf(writing.shortValue(first?.values[row] ?? 0))),
  );
  return widest + 6 < shape.band;
}

export function Values({ chart, shape, writing }: ReadingProps) {
  const values = chart.series[0]?.values ?? [];
  return (
    <>
      {shape.rows.map((row) => {
        const value = values[row];
        if (value === undefined) return null;
        const text = writing.shortValue(value);
        const { isInside, anchor, x, y } = valuePlace(shape, row, value, widthOf(text));
        return (
          <text
            key={row}
            class={isInside ? "value inside" : "value"}
            x={round(x)}
            y={round(y)}
            text-anchor={anchor}
          >
            {text}
          </text>
        );
      })}
    </>
  );
}

/** Beyond the end of its bar, or within where beyond there is something else. */
function valuePlace(shape: PlotShape, row: number, value: number, width: number) {
  const { isRtl, left, right, bottom } = shape;
  const [along, end] = [shape.along(row), shape.across(value)];
  if (!shape.isHorizontal) {
    const isInside = value < 0 && end + 16 > bottom;
    const y = end + (value < 0 && !isInside ? 13 : -5);
    return { isInside, anchor: "middle" as const, x: along, y };
  }
  const isRightward = value < 0 === isRtl;
  const isInside = isRightward
    ? end + width + 10 > (isRtl ? right : shape.width)
    : end - width - 10 < (isRtl ? 0 : left);
  const growsRight = isRightward !== isInside;
  // Words begin at their right where the document runs from right to left.
  const anchor = growsRight === isRtl ? ("end" as const) : ("start" as const);
  return { isInside, anchor, x: end + (growsRight ? 5 : -5), y: along + 4 };
}

/** A chart in a few words. */
export function summaryOf(
  { type, names, series }: ChartData,
  writing: Writing,
  label: (name: string, values?: Record<string, string>) => string,
  count: string,
): string {
  const ends = { first: writing.name(0), last: writing.name(names.length - 1) };
  const ranges = series.slice(0, 4).map(({ label: name, values }) => {
    const [low, high] = extent(values) ?? [];
    if (low === undefined) return "";
    const range = { low: writing.value(low), high: writing.value(high) };
    return label("range", { label: cut(name, 60), ...range });
  });
  return [label("summary", { type: label(type), count, ...ends }), ...ranges].join(" ").trim();
}

/** One row in words. */
export function sentenceOf(row: number, { series }: ChartData, writing: Writing): string {
  const values = series.map(
    ({ label, values }) => `${cut(label, 60)} ${writing.value(values[row])}`,
  );
  return `${cut(writing.name(row), 80)}: ${values.join(", ")}`;
}
