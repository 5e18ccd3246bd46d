import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ChartConfig } from "../../src/templates/chart.ts";
import type { ChartData } from "../../src/templates/chart-data.ts";
import { type BodyProps, Text, useShell } from "../shell/shell.tsx";
import { Fills, Swatch, swatchOf } from "./looks.tsx";
import { Pie } from "./pie.tsx";
import { Plot } from "./plot.tsx";
import { ValuesTable } from "./values-table.tsx";
import { createWriting } from "./writing.ts";

/** The picture, its legend, and the table behind it. */
export function Chart({ config, data: chart }: BodyProps<ChartConfig, ChartData>) {
  const { label, format, context } = useShell();
  const [isTable, setTable] = useState(false);
  const frame = useRef<HTMLElement>(null);
  const width = useWidth(frame);
  const table = useId();
  const { timeZone } = context;
  const writing = useMemo(
    () => createWriting(chart, config, format, timeZone),
    [chart, config, format, timeZone],
  );
  const isPie = chart.type === "pie" || chart.type === "donut";
  const hasLegend = config.legend ?? chart.series.length > 1;
  const props = { chart, config, writing, width };
  return (
    <figure class="chart" ref={frame}>
      <Fills count={isPie ? 8 : chart.series.length} />
      {hasLegend && !isPie && <Legend chart={chart} />}
      {width > 0 && (isPie ? <Pie {...props} /> : <Plot {...props} />)}
      {chart.isCut && <p class="soft">{label("cut")}</p>}
      {config.table !== false && (
        <div class="below">
          <button
            type="button"
            class="button plain"
            aria-expanded={isTable}
            {...(isTable && { "aria-controls": table })}
            onClick={() => setTable(!isTable)}
          >
            {label(isTable ? "hideTable" : "showTable")}
          </button>
          {isTable && (
            <div id={table}>
              <ValuesTable chart={chart} writing={writing} />
            </div>
          )}
        </div>
      )}
    </figure>
  );
}

function Legend({ chart }: { chart: ChartData }) {
  return (
    <ul class="legend">
      {chart.series.map(({ key, label }, series) => (
        <li key={key}>
          <Swatch series={series} as={swatchOf(chart.type)} />
          <Text value={label} short={60} />
        </li>
      ))}
    </ul>
  );
}

/** The width there is; 0 until it is known. */
function useWidth(frame: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return undefined;
    const look = (): void => setWidth(Math.max(240, Math.floor(current.clientWidth)));
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(current);
    return () => sizes.disconnect();
  }, [frame]);
  return width;
}
