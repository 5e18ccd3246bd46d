import { useId, useMemo, useRef, useState } from "preact/hooks";
import type { ChartConfig } from "../../src/templates/chart.ts";
import type { ChartData } from "../../src/templates/chart-data.ts";
import { cut, KeyHint, Text, useShell } from "../shell/shell.tsx";
import { Axes } from "./axes.tsx";
import { round, Swatch, swatchOf } from "./looks.tsx";
import { Marks } from "./marks.tsx";
import { rowAfter, rowAt } from "./plot-rows.ts";
import { layOut, type PlotShape, stack } from "./plot-shape.ts";
import { hasValues, Reading, sentenceOf, summaryOf, Values } from "./readings.tsx";
import { lookOf } from "./rest.ts";
import type { Writing } from "./writing.ts";

export interface PlotProps {
  chart: ChartData;
  config: ChartConfig;
  writing: Writing;
  width: number;
  /** In full screen. */
  height?: number | undefined;
}

/** A chart with axes. The pointer or arrow keys read single rows. */
export function Plot({ chart, config, writing, width, height }: PlotProps) {
  const { label, format, announce } = useShell();
  const [active, setActive] = useState<number>();
  const [isFocused, setFocused] = useState(false);
  const hint = useId();
  const plot = useRef<HTMLDivElement>(null);
  const isRtl = document.documentElement.dir === "rtl";
  const { xLabel, yLabel, legend } = config;
  const hasLegend = legend ?? chart.series.length > 1;
  const stacks = useMemo(() => stack(chart), [chart]);
  const shape = useMemo(
    () =>
      layOut(chart, stacks, {
        ...{ width, height, isRtl, hasLabels: { x: Boolean(xLabel), y: Boolean(yLabel) } },
        writeName: writing.shortName,
        writeNumber: writing.number,
        writeValue: writing.shortValue,
        moments: writing.moments,
        hasEndLabels: legend === undefined,
      }),
    [chart, stacks, width, height, isRtl, xLabel, yLabel, legend, writing],
  );
  // Arrow keys go by what one sees, not by the order of rows.
  const order = useMemo(
    () => shape.rows.toSorted((a, b) => (shape.along(a) - shape.along(b)) * (isRtl ? -1 : 1)),
    [shape, isRtl],
  );
  const current = active !== undefined && shape.rows.includes(active) ? active : undefined;
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rowAfter(event.key, order, current, isRtl);
    if (row === undefined) return;
    event.preventDefault();
    setFocused(row !== "none");
    setActive(row === "none" ? undefined : row);
    if (row !== "none") announce(sentenceOf(row, chart, writing));
  };
  const onPointer = (event: PointerEvent): void => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    setActive(rowAt(event.clientX - box.left, event.clientY - box.top, { chart, stacks, shape }));
  };
  // Users who come by keyboard see at once that values can be read.
  const read = current ?? (isFocused ? order[0] : undefined);
  return (
    <>
      {hasLegend && !shape.ends && <Legend chart={chart} />}
      <div
        ref={plot}
        class="plot"
        role="application"
        aria-roledescription={label("chart")}
        aria-label={summaryOf(chart, writing, label, format.number(chart.names.length))}
        aria-describedby={hint}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys of its own.
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
        // A finger that is lifted leaves, too; what it touched is still to be read.
        onPointerLeave={({ pointerType }) => pointerType !== "touch" && setActive(undefined)}
        onFocus={({ currentTarget }) => setFocused(currentTarget.matches(":focus-visible"))}
        onBlur={() => {
          setActive(undefined);
          setFocused(false);
        }}
      >
        <svg width={shape.width} height={shape.height} aria-hidden="true">
          {read !== undefined && <Cursor shape={shape} row={read} />}
          <Axes
            shape={shape}
            xLabel={xLabel && cut(xLabel, 60)}
            yLabel={yLabel && cut(yLabel, 60)}
          />
          <Marks {...{ chart, stacks, shape, active: read }} />
          {hasValues(chart, config, shape, writing) && <Values {...{ chart, shape, writing }} />}
        </svg>
        {read !== undefined && <Reading {...{ row: read, chart, shape, writing }} />}
      </div>
      <KeyHint id={hint} text={label("keys")} frame={plot} />
      {shape.hidden > 0 && (
        <p class="soft">
          {label("hiddenRows", {
            shown: format.number(shape.rows.length),
            count: format.number(chart.names.length),
          })}
        </p>
      )}
    </>
  );
}

function Legend({ chart }: { chart: ChartData }) {
  return (
    <ul class="legend">
      {chart.series.map(({ key, label }, series) => (
        <li key={key}>
          <Swatch series={lookOf(chart, series)} as={swatchOf(chart.type)} />
          <Text value={label} short={60} />
        </li>
      ))}
    </ul>
  );
}

/** Where one reads. */
function Cursor({ shape, row }: { shape: PlotShape; row: number }) {
  const { left, right, top, bottom, isHorizontal } = shape;
  const at = round(shape.along(row));
  return (
    <path class="cursor" d={isHorizontal ? `M${left} ${at}H${right}` : `M${at} ${top}V${bottom}`} />
  );
}
