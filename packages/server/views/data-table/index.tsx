import "./data-table.css";
import type { DataTableConfig } from "../../src/templates/data-table.ts";
import { rowsIn } from "../../src/templates/data-table-rows.ts";
import type { Block, Fields } from "../shell/shell.tsx";
import { Table } from "./table.tsx";

export const block: Block<DataTableConfig, Fields[]> = {
  name: "data-table",
  labels: {
    empty: "There are no rows to show.",
    filter: "Filter rows",
    noMatch: "No row contains “{words}”",
    clear: "Clear filter",
    range: "{from}–{to} of {count}",
    matches: "{from}–{to} of {count}, filtered from {all}",
    previous: "Previous page",
    next: "Next page",
    rows: "Rows",
    sorted: "Sorted by {column}, {direction}",
    unsorted: "Not sorted",
    ascending: "ascending",
    descending: "descending",
    sortBy: "Sort by",
    asReceived: "As received",
    actions: "Actions",
    actionsFor: "Actions for {row}",
    sure: "{action} “{row}”?",
    keep: "Keep",
    done: "{action}: done",
    notDone: "{action}: this did not work",
  },
  read: (value, { rowsKey }) => rowsIn(value, rowsKey),
  isEmpty: (rows) => rows.length === 0,
  Body: Table,
};
