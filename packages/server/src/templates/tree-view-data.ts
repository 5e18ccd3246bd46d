import { firstText, isRecord, listOf, textOf } from "./plain-data.ts";

/** A node, in the order in which an opened tree shows them. */
export interface TreeItem {
  /** What the Server calls it, if it does. */
  id: string | undefined;
  label: string;
  /** `folder`, `file`, or any other name. */
  icon: string | undefined;
  iconChar: string | undefined;
  meta: string | undefined;
  depth: number;
  /** Index of the node it is in; -1 for a root. */
  parent: number;
  /** Index after the last node within it: `index + 1` where there is none. */
  end: number;
  /** It may have nodes in it, even if it has none now. */
  isBranch: boolean;
}

/** All nodes, flat. JSON may be nested deeper than any stack, so nothing here calls itself. */
export interface Tree {
  items: TreeItem[];
  /** There were more than are kept. */
  isCut: boolean;
}

const MOST_NODES = 100_000;
const ROOTS = ["root", "tree"];
const LISTS = ["nodes", "tree", "items", "roots", "children", "entries"];
const LABELS = ["label", "name", "title", "id"];
/** Words of Servers for what holds others. */
const BRANCHES = /^(directory|dir|folder|group|branch)$/i;

/** Reads a list of nodes, one root, or an object that holds either; undefined when there is none. */
export function readTree(data: unknown, most: number = MOST_NODES): Tree | undefined {
  const roots = rootsOf(data);
  if (!roots) return undefined;
  const items: TreeItem[] = [];
  const waiting: { node: unknown; depth: number; parent: number }[] = [];
  const push = (nodes: readonly unknown[], depth: number, parent: number): void => {
    for (let at = nodes.length - 1; at >= 0; at -= 1) {
      waiting.push({ node: nodes[at], depth, parent });
    }
  };
  push(roots, 0, -1);
  while (waiting.length > 0 && items.length < most) {
    const { node, depth, parent } = waiting.pop() as (typeof waiting)[number];
    const item = itemOf(node, depth, parent);
    if (!item) continue;
    const index = items.push(item) - 1;
    if (isRecord(node) && Array.isArray(node.children)) push(node.children, depth + 1, index);
  }
  setEnds(items);
  return { items, isCut: waiting.length > 0 };
}

function rootsOf(data: unknown): unknown[] | undefined {
  if (isRecord(data)) {
    if (Array.isArray(data.children) && firstText(data, LABELS) !== undefined) return [data];
    const named = [...ROOTS, ...LISTS].map((key) => Object.hasOwn(data, key) && data[key]);
    const root = named.slice(0, ROOTS.length).find(isRecord);
    if (root) return [root];
    const list = named.find(Array.isArray);
    if (list) return list;
  }
  // A list under any other name is a tree only if it looks like one.
  const list = listOf(data, []);
  const isTree = (node: unknown): boolean =>
    isRecord(node) && firstText(node, LABELS) !== undefined;
  return list && (list.length === 0 || list.some(isTree)) ? list : undefined;
}

function itemOf(node: unknown, depth: number, parent: number): TreeItem | undefined {
  const place = { depth, parent, end: 0 };
  const text = textOf(node);
  if (text !== undefined) {
    const plain = { id: undefined, icon: undefined, iconChar: undefined, meta: undefined };
    return { ...plain, label: text, isBranch: false, ...place };
  }
  if (!isRecord(node)) return undefined;
  const label = firstText(node, LABELS);
  if (label === undefined) return undefined;
  return {
    id: firstText(node, ["id"]),
    label,
    icon: firstText(node, ["icon"]),
    iconChar: firstText(node, ["iconChar"]),
    meta: firstText(node, ["meta"]),
    isBranch: Array.isArray(node.children) || BRANCHES.test(firstText(node, ["type"]) ?? ""),
    ...place,
  };
}

/** From the last to the first: a node ends where its last child does. */
function setEnds(items: TreeItem[]): void {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index] as TreeItem;
    item.end = Math.max(item.end, index + 1);
    const parent = items[item.parent];
    if (parent) parent.end = Math.max(parent.end, item.end);
  }
}

/** Labels from the root to a node; with `most`, the last of them. */
export function pathOf({ items }: Tree, index: number, most: number = items.length): string[] {
  const path: string[] = [];
  for (let at = index; at >= 0 && path.length < most; at = items[at]?.parent ?? -1) {
    path.push(items[at]?.label ?? "");
  }
  return path.reverse();
}

/** The argument for a tool: the node's id, or its path if the Server didn't send an id. */
export function nodeIdOf(tree: Tree, index: number): string {
  return tree.items[index]?.id ?? pathOf(tree, index).join("/");
}
