import "./diff-viewer.css";
import type { DiffViewerConfig } from "../../src/templates/diff-viewer.ts";
import { type DiffData, readDiff } from "../../src/templates/diff-viewer-data.ts";
import type { Block } from "../shell/shell.tsx";
import { DiffViewer } from "./diff-viewer.tsx";

export const block: Block<DiffViewerConfig, DiffData> = {
  name: "diff-viewer",
  labels: {
    empty: "There is nothing to compare.",
    original: "Original",
    modified: "Modified",
    layout: "Layout",
    split: "Split",
    unified: "Unified",
    counts: "{added} lines added, {removed} removed",
    equal: "Both sides are the same.",
    lineEnds: "Only line ends differ",
    cut: "Too long to compare in full: only the beginning of each side is shown",
    coarse: "Too different to compare line by line: the part that differs is shown as replaced",
    unchanged: "Show {count} unchanged lines",
    moreRows: "Show more ({count} rows left)",
    change: "Change {at} of {count}",
    previousChange: "Previous change",
    nextChange: "Next change",
    line: "Line",
    text: "Text",
    added: "added",
    removed: "removed",
  },
  read: readDiff,
  isEmpty: ({ left, right }) => left === "" && right === "",
  Body: DiffViewer,
};
