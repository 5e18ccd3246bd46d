import "../data-table/data-table.css";
import "../detail/detail.css";
import "../form/form.css";
import "../gallery/gallery.css";
import "../tree-view/tree-view.css";
import "./result.css";
import type { ResultConfig } from "../../src/auto-views/result-config.ts";
import type { Block } from "../shell/shell.tsx";
import { type Part, partsOf } from "./parts.ts";
import { Result } from "./result.tsx";

export const block: Block<ResultConfig, Part[]> = {
  name: "result",
  labels: {
    // Of this View
    again: "Call again",
    call: "Call",
    calling: "Calling…",
    notCalled: "The call failed",
    updated: "The result is new",
    counts: "{added} lines added, {removed} removed",
    added: "added",
    removed: "removed",
    moreLines: "{count} more lines",
    // Of the bodies it borrows, where one word has to do for all
    filter: "Filter",
    noMatch: "Nothing contains “{words}”",
    clear: "Clear filter",
    range: "{from}–{to} of {count}",
    matches: "{from}–{to} of {count}, filtered from {all}",
    previous: "Previous",
    next: "Next",
    rows: "Rows",
    sorted: "Sorted by {column}, {direction}",
    unsorted: "Not sorted",
    ascending: "ascending",
    descending: "descending",
    sortBy: "Sort by",
    asReceived: "As received",
    moreOf: "Show more ({shown} of {count})",
    image: "Image {at}",
    place: "{at} of {count}",
    close: "Close",
    notShown: "This image could not be shown",
    tree: "Tree",
    table: "Table",
    keys: "Arrow keys move, open and close; letters find a name.",
    expandAll: "Expand all",
    collapseAll: "Collapse all",
    count: "{count} nodes",
    found: "{count} of {all} nodes found",
    cut: "Only the first {count} nodes are shown",
    requiredNote: "Fields marked * are required.",
    problems: "Fields that need attention: {count}",
    choose: "Choose…",
    noChoice: "No choice",
    tooShort: "At least {count} characters.",
    notJson: "This is not valid JSON.",
    notMatching: "This does not have the form that is asked for.",
  },
  read: (_, config, result) => result && partsOf(result, config),
  isEmpty: (parts, { again }) => parts.length === 0 && !again,
  Body: Result,
};
