import "./tree-view.css";
import type { TreeViewConfig } from "../../src/templates/tree-view.ts";
import { readTree, type Tree } from "../../src/templates/tree-view-data.ts";
import type { Block } from "../shell/shell.tsx";
import { TreeView } from "./tree-view.tsx";

export const block: Block<TreeViewConfig, Tree> = {
  name: "tree-view",
  labels: {
    empty: "There is nothing in this tree.",
    tree: "Tree",
    keys: "Arrow keys move, open and close; letters find a name.",
    filter: "Filter nodes",
    noMatch: "No node contains “{words}”",
    clear: "Clear filter",
    expandAll: "Expand all",
    collapseAll: "Collapse all",
    count: "{count} nodes",
    found: "{count} of {all} nodes found",
    cut: "Only the first {count} nodes are shown",
    selected: "{label} selected",
    selecting: "Selecting {label}…",
    notSelected: "“{label}” could not be selected",
    retry: "Try again",
  },
  read: (value) => readTree(value),
  isEmpty: ({ items }) => items.length === 0,
  Body: TreeView,
};
