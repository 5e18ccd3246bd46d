import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ChartConfig } from "../../src/templates/chart.ts";
import type { ChartData } from "../../src/templates/chart-data.ts";
import { type BodyProps, useShell } from "../shell/shell.tsx";
import { looksOf, Patterns } from "./looks.tsx";
import { Pie } from "./pie.tsx";
import { Plot } from "./plot.tsx";
import { drawnOf } from "./rest.ts";
import { ValuesTable } from "./values-table.tsx";
import { createWriting } from "./writing.ts";

/** The picture, its legend, and the table behind it. */
export function Chart({ config, data: chart }: BodyProps<ChartConfig, ChartData>) {
  const { label, format, context } = useShell();
  const [isTable, setTable] = useState(false);
  const frame = useRef<HTMLElement>(null);
  const { timeZone, displayMode } = context;
  const { width, height } = useRoom(frame, displayMode === "fullscreen");
  const table = useId();
  const writing = useMemo(
    () => createWriting(chart, config, format, timeZone),
    [chart, config, format, timeZone],
  );
  const isPie = chart.type === "pie" || chart.type === "donut";
  const { drawn, left } = useMemo(() => drawnOf(chart, label("rest")), [chart, label]);
  const props = { chart: drawn, config, writing, width, height };
  return (
    <figure class="chart" ref={frame} style={looksOf(config.patterns === true)}>
      {config.patterns === true && <Patterns />}
      {width > 0 && (isPie ? <Pie {...props} /> : <Plot {...props} />)}
      {left > 0 && (
        <p class="soft">
          {label("hiddenSeries", {
            shown: format.number(drawn.series.length),
            count: format.number(chart.series.length),
          })}
        </p>
      )}
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

// Heading, legend and the button of the table, in full screen.
const AROUND = 190;

interface Room {
  /** The width there is; 0 until it is known. */
  width: number;
  /** The height there is, in full screen; elsewhere a chart has its own. */
  height: number | undefined;
}

function useRoom(frame: { current: HTMLElement | null }, isFull: boolean): Room {
  const [room, setRoom] = useState<Room>({ width: 0, height: undefined });
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return undefined;
    const look = (): void => {
      const width = Math.max(240, Math.floor(current.clientWidth));
      // One of several blocks of a page keeps its own height.
      const isAlone = current.parentElement?.localName === "main";
      const height = isFull && isAlone ? Math.max(280, innerHeight - AROUND) : undefined;
      setRoom((room) =>
        room.width === width && room.height === height ? room : { width, height },
      );
    };
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(current);
    addEventListener("resize", look);
    return () => {
      sizes.disconnect();
      removeEventListener("resize", look);
    };
  }, [frame, isFull]);
  return room;
}
