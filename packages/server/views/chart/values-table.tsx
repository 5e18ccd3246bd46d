import { useState } from "preact/hooks";
import type { ChartData } from "../../src/templates/chart-data.ts";
import { Text, useShell } from "../shell/shell.tsx";
import type { Writing } from "./writing.ts";

const PAGE = 200;

/** Every value of the chart, to be read. */
export function ValuesTable({ chart, writing }: { chart: ChartData; writing: Writing }) {
  const { label, format } = useShell();
  const [most, setMost] = useState(PAGE);
  const { names, series } = chart;
  const left = names.length - most;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section class="frame" tabIndex={0} aria-label={label("values")}>
        <table>
          <thead>
            <tr>
              <th scope="col">
                <Text value={chart.xLabel ?? label("row")} short={60} />
              </th>
              {series.map(({ key, label }) => (
                <th key={key} scope="col" class="number">
                  <Text value={label} short={60} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.slice(0, most).map((_, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows never move.
              <tr key={row}>
                <th scope="row">
                  <Text value={writing.name(row)} short={80} />
                </th>
                {series.map(({ key, values }) => (
                  <td key={key} class="number">
                    {writing.value(values[row])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {left > 0 && (
        <button type="button" class="button plain" onClick={() => setMost(most + PAGE)}>
          {label("moreRows", { count: format.number(left) })}
        </button>
      )}
    </>
  );
}
