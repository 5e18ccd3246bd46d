import { type JsonSchema, readSchema, type SchemaNode } from "../json-schema.ts";
import { textFallback } from "../text-fallback.ts";
import { amount, flag, tool } from "./option.ts";
import { cutText } from "./plain-data.ts";
import { defineTemplate, type Template, type TemplateConfig } from "./template.ts";
import { readTree } from "./tree-view-data.ts";

/** Nodes in nodes, opened and closed by their user. */
export interface TreeViewConfig extends TemplateConfig {
  /** Whether nodes have icons; true by default. */
  showIcons?: boolean;
  /** Levels that are open at first; 1 by default, 0 for none. */
  expandLevel?: number;
  /** Whether a node can be selected; false by default. */
  selectable?: boolean;
  /**
   * Tool that is called for a selection, with `{ nodeId }`: the node's `id`, or its path of labels if it
   * doesn't have one. The model is always notified of a selection.
   */
  onSelectTool?: string;
  /** Whether there is a field to filter nodes; by default from a dozen nodes on. */
  filterable?: boolean;
}

const MOST_LINES = 200;
const DEEPEST = 40;

/** Shows nodes `{id, label, icon, iconChar, meta, children}` as a tree. */
export const treeView: Template<TreeViewConfig> = defineTemplate<TreeViewConfig>({
  name: "tree-view",
  options: {
    showIcons: flag("Whether nodes have icons; true by default."),
    expandLevel: amount("Levels that are open at first; 1 by default, 0 for none.", { minimum: 0 }),
    selectable: flag("Whether a node can be selected; false by default."),
    onSelectTool: tool("Tool that is called for a selection, with nodeId."),
    filterable: flag("Whether there is a field to filter nodes; by default from a dozen nodes on."),
  },
  fit: (schema) => {
    const node = nodeIn(schema);
    if (!node) return 0;
    return ["label", "name", "title"].some((name) => node.property(name)) ? 0.95 : 0.5;
  },
  describe: (structuredContent, { title }) => {
    const tree = readTree(structuredContent);
    if (!tree) return textFallback(structuredContent, { title });
    if (tree.items.length === 0) return [title, "(no nodes)"].filter(Boolean).join("\n");
    const lines = tree.items.slice(0, MOST_LINES).map(({ label, meta, depth }) => {
      const indent = "  ".repeat(Math.min(depth, DEEPEST));
      return `${indent}- ${oneLine(label)}${meta === undefined ? "" : ` (${oneLine(meta)})`}`;
    });
    const more = tree.items.length - lines.length;
    const rest = more > 0 ? [`… ${more} more nodes`] : [];
    return [...(title ? [title] : []), ...lines, ...rest].join("\n");
  },
});

/** The schema of a node: an object with `children`, itself or in a list. */
function nodeIn(schema: JsonSchema): SchemaNode | undefined {
  const root = readSchema(schema);
  const inside = root.properties().map(({ node }) => node);
  const candidates = [root, root.items(), ...inside, ...inside.map((node) => node.items())];
  return candidates.find((node) => node?.property("children")?.type === "array");
}

/** A label must not be able to write lines of its own. */
function oneLine(text: string): string {
  return cutText(text.replace(/[\p{Cc}\u2028\u2029]+/gu, " "), 120);
}
