import { isFlat, isScalar, type JsonSchema, readSchema, type SchemaNode } from "../json-schema.ts";
import { textFallback } from "../text-fallback.ts";
import { rowsIn } from "./data-table-rows.ts";
import { amount, either, flag, list, object, oneOf, record, required, text } from "./option.ts";
import { defineTemplate, type Template, type TemplateConfig } from "./template.ts";
import { ROW_ACTION, type RowAction } from "./tool-action.ts";
import { type ValueFormat, valueFormat } from "./value-format.ts";

/** A column of a table. */
export interface DataTableColumn {
  /** The property of a row that it shows. */
  key: string;
  /** Its heading; by default the key in words. */
  label?: string;
  /** Whether its heading sorts; true by default. */
  sortable?: boolean;
  /** How its values are written; by default as what they are, by the Host's locale. */
  format?: ValueFormat;
  /** Where its values stand; numbers stand at the end by default. */
  align?: "start" | "center" | "end";
  /**
   * Whether its values are drawn as badges, or the tone of each value. By default, short texts under a
   * name such as `status` are badges, with tones for common words.
   */
  badge?: boolean | Record<string, BadgeTone>;
  /** The property of a row with the address that this column links to; `https:` and `mailto:` only. */
  linkKey?: string;
}

/** The tone of a badge. */
export type BadgeTone = (typeof BADGE_TONES)[number];

/** A table of rows: sorted by its headings, filtered, in pages. */
export interface DataTableConfig extends TemplateConfig {
  /** Columns in their order; by default every property that the first rows have. */
  columns?: DataTableColumn[];
  /** The property of the result that holds the rows, where it holds several lists. */
  rowsKey?: string;
  /** Rows of a page; 25 by default. */
  pageSize?: number;
  /** Whether there is a field to filter rows; by default once there is more than a page of half the size. */
  filterable?: boolean;
  /** How rows are sorted at first; by default as they came. */
  sort?: { key: string; direction?: "ascending" | "descending" };
  /** Actions on a row, in a menu at its end. */
  rowActions?: RowAction[];
}

const BADGE_TONES = ["neutral", "info", "success", "warning", "danger"] as const;
const COLUMN = object<DataTableColumn>(
  {
    key: required(text("The property of a row that it shows.")),
    label: text("Its heading; by default the key in words."),
    sortable: flag("Whether its heading sorts; true by default."),
    format: valueFormat("How its values are written; by default by their kind."),
    align: oneOf(["start", "center", "end"], "By default numbers stand at the end."),
    badge: either(
      flag("Whether its values are drawn as badges."),
      record(oneOf(BADGE_TONES, "A tone."), "The tone of each value."),
      "Badges for statuses; by default for short texts under a name such as status.",
    ),
    linkKey: text("The property of a row with the address that this column links to."),
  },
  "A column.",
);

/** Shows rows as a table. */
export const dataTable: Template<DataTableConfig> = defineTemplate<DataTableConfig>({
  name: "data-table",
  options: {
    columns: list(COLUMN, "Columns in their order; by default all properties of the first rows."),
    rowsKey: text("The property of the result that holds the rows, if it holds several lists."),
    pageSize: amount("Rows of a page; 25 by default.", { minimum: 1 }),
    filterable: flag("Whether there is a field to filter rows; by default for many rows."),
    sort: object<NonNullable<DataTableConfig["sort"]>>(
      {
        key: required(text("The column's key.")),
        direction: oneOf(["ascending", "descending"], "ascending by default."),
      },
      "How rows are sorted at first; by default as they came.",
    ),
    rowActions: list(ROW_ACTION, "Actions on a row, in a menu at its end."),
  },
  fit: (schema) => {
    const list = listProperty(schema);
    const row = list?.node.items();
    if (row?.type !== "object") return 0;
    const columns = row.properties();
    if (columns.length === 0) return 0.4;
    const scalars = columns.filter(({ node }) => isScalar(node)).length;
    return isFlat(row) ? 0.9 : 0.3 + (0.5 * scalars) / columns.length;
  },
  configFor: (schema) => {
    const list = listProperty(schema);
    const columns = list?.node.items()?.properties() ?? [];
    return {
      ...(list?.name !== undefined && { rowsKey: list.name }),
      ...(columns.length > 0 && {
        columns: columns.map(({ name, label, node }) => ({ key: name, label, ...formatOf(node) })),
      }),
    };
  },
  describe: (structuredContent, { title, columns, rowsKey }) => {
    const rows = rowsIn(structuredContent, rowsKey);
    if (!rows) return textFallback(structuredContent, { title });
    return textFallback(rows, { title, schema: columns && schemaOf(columns) });
  },
});

/** The list a schema is about: itself, or the one property that is a list of objects. */
function listProperty(
  schema: JsonSchema,
): { name: string | undefined; node: SchemaNode } | undefined {
  const node = readSchema(schema);
  if (node.type === "array") return { name: undefined, node };
  const lists = node.properties().filter(({ node }) => node.items()?.type === "object");
  const [only] = lists;
  return lists.length === 1 && only ? { name: only.name, node: only.node } : undefined;
}

function formatOf({ format }: SchemaNode): { format?: ValueFormat } {
  if (format === "date") return { format: "date" };
  return format === "date-time" ? { format: "datetime" } : {};
}

function schemaOf(columns: readonly DataTableColumn[]): JsonSchema {
  const properties = Object.fromEntries(
    // Of a type that fits a cell, whatever the values are: the text has its own way with others.
    columns.map(({ key, label }) => [key, { type: "string", ...(label && { title: label }) }]),
  );
  return { type: "array", items: { type: "object", properties } };
}
