import "./chart.css";
import type { ChartConfig } from "../../src/templates/chart.ts";
import { type ChartData, readChart } from "../../src/templates/chart-data.ts";
import type { Block } from "../shell/shell.tsx";
import { Chart } from "./chart.tsx";

export const block: Block<ChartConfig, ChartData> = {
  name: "chart",
  labels: {
    empty: "There are no values to draw.",
    chart: "chart",
    bar: "Bar chart",
    line: "Line chart",
    area: "Area chart",
    pie: "Pie chart",
    donut: "Donut chart",
    scatter: "Scatter chart",
    summary: "{type} of {count} values from {first} to {last}.",
    range: "{label}: lowest {low}, highest {high}.",
    keys: "Arrow keys read single values; the table has all of them.",
    showTable: "Show table",
    hideTable: "Hide table",
    values: "Values",
    row: "Row",
    moreRows: "Show more ({count} left)",
    hiddenRows: "The first {shown} of {count} are drawn; the table has all.",
    hiddenSeries: "The first {shown} of {count} series are drawn; the table has all.",
    cut: "There is more data than is shown.",
    rest: "Other",
    total: "Total",
    share: "Share",
    left: "{count} without a value above zero",
  },
  read: readChart,
  isEmpty: ({ names, series }) =>
    names.length === 0 || series.every(({ values }) => values.every((one) => one === undefined)),
  Body: Chart,
};
