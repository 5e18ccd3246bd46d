import { useId, useMemo, useState } from "preact/hooks";
import type { ChartConfig } from "../../src/templates/chart.ts";
import type { ChartData } from "../../src/templates/chart-data.ts";
import { cut, useShell } from "../shell/shell.tsx";
import { Axes } from "./axes.tsx";
import { round } from "./looks.tsx";
import { Marks } from "./marks.tsx";
import { rowAfter, rowAt } from "./plot-rows.ts";
import { layOut, type PlotShape, stack } from "./plot-shape.ts";
import { hasValues, Reading, sentenceOf, summaryOf, Values } from "./readings.tsx";
import type { Writing } from "./writing.ts";

export interface PlotProps {
  chart: ChartData;
  config: ChartConfig;
  writing: Writing;
  width: number;
}

/** A chart with axes. The pointer or arrow keys read single rows. */
export function Plot({ chart, config, writing, width }: PlotProps) {
  const { label, format, announce } = useShell();
  const [active, setActive] = useState<number>();
  const hint = useId();
  const isRtl = document.documentElement.dir === "rtl";
  const { xLabel, yLabel } = config;
  const stacks = useMemo(() => stack(chart), [chart]);
  const shape = useMemo(
    () =>
      layOut(chart, stacks, {
        ...{ width, isRtl, hasLabels: { x: Boolean(xLabel), y: Boolean(yLabel) } },
        writeName: writing.shortName,
        writeNumber: writing.number,
        writeValue: writing.shortValue,
      }),
    [chart, stacks, width, isRtl, xLabel, yLabel, writing],
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
    setActive(row === "none" ? undefined : row);
    if (row !== "none") announce(sentenceOf(row, chart, writing));
  };
  const onPointer = (event: PointerEvent): void => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    setActive(rowAt(event.clientX - box.left, event.clientY - box.top, { chart, stacks, shape }));
  };
  return (
    <>
      <div
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
        onPointerLeave={() => setActive(undefined)}
        onBlur={() => setActive(undefined)}
      >
        <svg width={shape.width} height={shape.height} aria-hidden="true">
          {current !== undefined && <Cursor shape={shape} row={current} />}
          <Axes
            shape={shape}
            xLabel={xLabel && cut(xLabel, 60)}
            yLabel={yLabel && cut(yLabel, 60)}
          />
          <Marks {...{ chart, stacks, shape, active: current }} />
          {hasValues(chart, config, shape, writing) && <Values {...{ chart, shape, writing }} />}
        </svg>
        {current !== undefined && <Reading {...{ row: current, chart, shape, writing }} />}
      </div>
      <p class="hidden" id={hint}>
        {label("keys")}
      </p>
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

/** Where one reads. */
function Cursor({ shape, row }: { shape: PlotShape; row: number }) {
  const { left, right, top, bottom, isHorizontal } = shape;
  const at = round(shape.along(row));
  return (
    <path class="cursor" d={isHorizontal ? `M${left} ${at}H${right}` : `M${at} ${top}V${bottom}`} />
  );
}
