import { type JsonSchema, readSchema, type SchemaNode } from "../json-schema.ts";
import { textFallback } from "../text-fallback.ts";
import {
  CHART_TYPES,
  type ChartOptions,
  type ChartType,
  type ChartValue,
  readChart,
} from "./chart-data.ts";
import { either, flag, list, object, oneOf, required, text } from "./option.ts";
import { defineTemplate, type Template, type TemplateConfig } from "./template.ts";
import { type ValueFormat, valueFormat } from "./value-format.ts";

/**
 * Numbers as a chart, and as a table for users who prefer to read. The data may also contain `type`, `x`,
 * `y`, `stacked` and `horizontal`; the config overrides them.
 */
export interface ChartConfig extends TemplateConfig, ChartOptions {
  /** The kind of chart; `bar` by default. */
  type?: ChartType;
  /** The property of a row that names it; by default its first text. */
  x?: string;
  /** The properties that are drawn, the first six with a colour each; by default all numbers. A pie has one. */
  y?: string | (string | ChartValue)[];
  /** The property of the result that holds the rows, where it holds several lists. */
  rowsKey?: string;
  /** Whether bars or areas of a row stand on each other; false by default. */
  stacked?: boolean;
  /** Whether bars lie; by default they do where their names would not fit below them. */
  horizontal?: boolean;
  /** What stands along the axis of names. */
  xLabel?: string;
  /** What stands along the axis of values. */
  yLabel?: string;
  /** How values are written; by default as numbers. */
  format?: ValueFormat;
  /** How names are written; by default as what they are. */
  xFormat?: ValueFormat;
  /** Whether there is a legend; by default where there are several properties and no room at their lines. */
  legend?: boolean;
  /** Whether values stand at bars; by default where there is room. */
  showValues?: boolean;
  /** Whether the values can be seen as a table; true by default. */
  table?: boolean;
  /** Whether patterns and dashes tell series apart in addition to colours; false by default. */
  patterns?: boolean;
}

/** Draws rows as bars, lines, areas, slices or points. */
export const chart: Template<ChartConfig> = defineTemplate<ChartConfig>({
  name: "chart",
  options: {
    type: oneOf(CHART_TYPES, "The kind of chart; bar by default."),
    x: text("The property of a row that names it; by default its first text."),
    y: either(
      text("One property."),
      list(
        either(
          text("The property of a row."),
          object<ChartValue>(
            {
              key: required(text("The property of a row.")),
              label: text("Its name in the legend; by default the key in words."),
            },
            "A property with its name in the legend.",
          ),
          "A property that is drawn.",
        ),
        "Several properties; the first six have a colour each.",
      ),
      "The properties that are drawn; by default all numbers. A pie has one.",
    ),
    rowsKey: text("The property of the result that holds the rows, if it holds several lists."),
    stacked: flag("Whether bars or areas of a row stand on each other; false by default."),
    horizontal: flag("Whether bars lie; by default they do if their names don't fit below them."),
    xLabel: text("The label of the axis of names."),
    yLabel: text("The label of the axis of values."),
    format: valueFormat("How values are written; by default as numbers."),
    xFormat: valueFormat("How names are written; by default by their kind."),
    legend: flag(
      "Whether there is a legend; by default if several properties have no room at their lines.",
    ),
    showValues: flag("Whether values stand at bars; by default if there is room."),
    table: flag("Whether the values can be seen as a table; true by default."),
    patterns: flag(
      "Whether patterns and dashes tell series apart in addition to colours; false by default.",
    ),
  },
  fit: (schema) => {
    const row = rowIn(schema);
    if (!row) return 0;
    const all = row.properties();
    const numbers = all.filter(({ node }) => isNumber(node)).length;
    const texts = all.length - numbers;
    if (numbers === 0) return 0;
    // One name with numbers is a chart; the more other properties a row has, the better a table fits.
    return texts === 1 ? 0.85 : 0.4 / Math.max(1, texts);
  },
  configFor: (schema) => {
    const all = rowIn(schema)?.properties() ?? [];
    const name = all.find(({ node }) => !isNumber(node));
    const isTime = name?.node.format === "date" || name?.node.format === "date-time";
    const y = all.filter(({ node }) => isNumber(node));
    return {
      ...(isTime && { type: "line" as const }),
      ...(name && { x: name.name, xLabel: name.label }),
      ...(y.length > 0 && { y: y.map(({ name: key, label }) => ({ key, label })) }),
    };
  },
  describe: (structuredContent, config) => {
    const { title } = config;
    const data = readChart(structuredContent, config);
    if (!data) return textFallback(structuredContent, { title });
    const rows = data.names.map((name, at) =>
      Object.fromEntries([
        [data.xLabel ?? "#", name],
        ...data.series.map(({ label, values }) => [label, values[at] ?? null]),
      ]),
    );
    return textFallback(rows, { title, maxRows: 100 });
  },
});

/** The schema of a row: an item of the only list of objects. */
function rowIn(schema: JsonSchema): SchemaNode | undefined {
  const root = readSchema(schema);
  const lists = root.type === "array" ? [root] : root.properties().map(({ node }) => node);
  const items = lists.flatMap((list) => list.items() ?? []).filter(({ type }) => type === "object");
  return items.length === 1 ? items[0] : undefined;
}

function isNumber({ type }: SchemaNode): boolean {
  return type === "number" || type === "integer";
}
