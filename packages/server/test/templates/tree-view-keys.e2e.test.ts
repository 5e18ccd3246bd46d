import { describe, expect, test } from "vitest";
import { treeView } from "../../src/templates/tree-view.ts";
import { nodeIdOf, pathOf, readTree, type Tree } from "../../src/templates/tree-view-data.ts";
import { findTyped, stepOf, Typing } from "../../views/tree-view/tree-keys.ts";
import { filterTree, rowsOf } from "../../views/tree-view/tree-rows.ts";

const nodes = [
  {
    id: "a",
    label: "Apple",
    children: [
      { id: "a1", label: "Ant", children: [{ id: "a1x", label: "Axe" }] },
      { label: "Bee" },
    ],
  },
  { id: "b", label: "Banana" },
  { id: "c", label: "Cherry", children: [{ label: "Cat" }] },
];

const read = (data: unknown, most?: number): Tree => {
  const tree = readTree(data, most);
  if (!tree) throw new Error("no tree");
  return tree;
};
const tree = read({ nodes });
const open =
  (...labels: string[]) =>
  (index: number): boolean =>
    labels.includes(tree.items[index]?.label ?? "");
const labels = (rows: ReturnType<typeof rowsOf>): string[] =>
  rows.map(({ index }) => tree.items[index]?.label ?? "");

describe("reading", () => {
  test("takes a list, a list under a name, one root, and what file servers send", () => {
    for (const data of [nodes, { nodes }, { tree: nodes }, { anything: nodes }]) {
      expect(read(data).items).toHaveLength(7);
    }
    expect(read({ label: "root", children: nodes }).items).toHaveLength(8);
    expect(read({ root: { name: "root", children: nodes } }).items).toHaveLength(8);
    const files = [{ name: "src", type: "directory" }, { name: "a.ts", type: "file" }, "b.ts"];
    expect(read({ entries: files }).items.map(({ label, isBranch }) => [label, isBranch])).toEqual([
      ["src", true],
      ["a.ts", false],
      ["b.ts", false],
    ]);
  });

  test.each([[undefined], [null], ["text"], [7], [{}], [{ ids: [1, 2, 3] }], [{ path: "/tmp" }]])(
    "finds no tree in %j",
    (data) => {
      expect(readTree(data)).toBeUndefined();
    },
  );

  test("leaves out invalid nodes, and ignores inherited fields", () => {
    const data = JSON.parse(
      '[{"__proto__":{"label":"no"}},{"label":"yes","children":{}},null,[1]]',
    );
    expect(read(data).items.map(({ label }) => label)).toEqual(["yes"]);
  });

  test("a node without an id is known by its path", () => {
    const bee = tree.items.findIndex(({ label }) => label === "Bee");
    expect(nodeIdOf(tree, bee)).toBe("Apple/Bee");
    expect(nodeIdOf(tree, 0)).toBe("a");
    expect(pathOf(tree, 2, 2)).toEqual(["Ant", "Axe"]);
  });

  test("a hundred thousand levels overflow no stack, and more nodes than are kept are said", () => {
    let deep: object = { label: "deepest" };
    for (let level = 0; level < 100_000; level += 1) deep = { label: `${level}`, children: [deep] };
    const { items, isCut } = read([deep]);
    expect([items.length, items.at(-1)?.depth, isCut]).toEqual([100_000, 99_999, true]);
    const found = read([deep], 2000);
    expect(filterTree(found, "99999")?.count).toBe(1);
    expect(rowsOf(found, () => true)).toHaveLength(2000);
    expect(pathOf(found, 1999)).toHaveLength(2000);
    expect(treeView().describe?.([deep])).toContain("more nodes");
  });
});

describe("rows", () => {
  test("are those whose ancestors are open, each with its place among its siblings", () => {
    expect(labels(rowsOf(tree, () => false))).toEqual(["Apple", "Banana", "Cherry"]);
    const rows = rowsOf(tree, open("Apple", "Ant"));
    expect(labels(rows)).toEqual(["Apple", "Ant", "Axe", "Bee", "Banana", "Cherry"]);
    expect(rows.map(({ position, size }) => `${position}/${size}`)).toEqual([
      "1/3",
      "1/2",
      "1/1",
      "2/2",
      "2/3",
      "3/3",
    ]);
  });

  test("of a filter are what is found, what it is in, and, closed, what is in it", () => {
    const found = (words: string): string[] => {
      const filtered = filterTree(tree, words);
      return labels(rowsOf(tree, (index) => filtered?.holds[index] === 1, filtered));
    };
    expect(found("axe")).toEqual(["Apple", "Ant", "Axe"]);
    expect(found(" CHERRY ")).toEqual(["Cherry"]);
    expect(found("zebra")).toEqual([]);
    const all = filterTree(tree, "cherry");
    expect(labels(rowsOf(tree, () => true, all))).toEqual(["Cherry", "Cat"]);
    expect(filterTree(tree, "  ")).toBeUndefined();
  });
});

describe("keys", () => {
  const rows = rowsOf(tree, open("Apple"));
  const at = (label: string): number => tree.items.findIndex((item) => item.label === label);
  const press = (key: string, active: string, isRtl = false) =>
    stepOf(key, { tree, rows, active: at(active), page: 2, isRtl });

  test.each([
    ["ArrowDown", "Apple", { go: "Ant" }],
    ["ArrowDown", "Cherry", { go: "Cherry" }],
    ["ArrowUp", "Banana", { go: "Bee" }],
    ["ArrowUp", "Apple", { go: "Apple" }],
    ["Home", "Cherry", { go: "Apple" }],
    ["End", "Apple", { go: "Cherry" }],
    ["PageDown", "Apple", { go: "Bee" }],
    ["PageUp", "Cherry", { go: "Bee" }],
    ["ArrowRight", "Apple", { go: "Ant" }],
    ["ArrowRight", "Ant", { open: ["Ant"] }],
    ["ArrowRight", "Bee", undefined],
    ["ArrowLeft", "Apple", { close: "Apple" }],
    ["ArrowLeft", "Bee", { go: "Apple" }],
    ["ArrowLeft", "Banana", undefined],
    ["*", "Banana", { open: ["Apple", "Cherry"] }],
    ["Enter", "Bee", { choose: "Bee" }],
    [" ", "Bee", { choose: "Bee" }],
    ["F5", "Bee", undefined],
  ])("%j on %s is %j", (key, active, expected) => {
    const indices = Object.entries(expected ?? {}).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(at) : at(value as string),
    ]);
    expect(press(key, active)).toEqual(expected && Object.fromEntries(indices));
  });

  test("left and right change places where text runs to the left", () => {
    expect(press("ArrowLeft", "Ant", true)).toEqual({ open: [at("Ant")] });
    expect(press("ArrowRight", "Bee", true)).toEqual({ go: at("Apple") });
  });

  test("letters find the next label that begins so", () => {
    const find = (typed: string, active: string): string | undefined => {
      const place = { tree, rows, active: at(active), page: 2, isRtl: false };
      return tree.items[findTyped(typed, place) ?? -1]?.label;
    };
    expect(find("b", "Apple")).toBe("Bee");
    expect(find("b", "Bee")).toBe("Banana");
    expect(find("bb", "Banana")).toBe("Bee");
    expect(find("ba", "Bee")).toBe("Banana");
    expect(find("ban", "Banana")).toBe("Banana");
    expect(find("z", "Apple")).toBeUndefined();
  });

  test("keys typed in quick succession form one search, and only then Space is part of it", () => {
    const typing = new Typing();
    expect(typing.add(" ", 0)).toBeUndefined();
    expect(typing.add("a", 100)).toBe("a");
    expect(typing.add(" ", 200)).toBe("a ");
    expect(typing.add("b", 300)).toBe("a b");
    expect(typing.add("c", 2000)).toBe("c");
    expect(typing.add("*", 9000)).toBeUndefined();
    expect(typing.add("ArrowDown", 9001)).toBeUndefined();
  });
});

describe("without a View", () => {
  test("the model reads an outline", () => {
    const text = treeView({ title: "Fruit" }).describe?.({
      nodes: [{ label: "Apple", meta: "3", children: [{ label: "A\n- forged" }] }],
    });
    expect(text).toBe("Fruit\n- Apple (3)\n  - A - forged");
    expect(treeView().describe?.({ nodes: [] })).toBe("(no nodes)");
    expect(treeView().describe?.({ else: "this" })).toContain("this");
  });
});

test("fits schemas of nodes with children", () => {
  const node = {
    type: "object",
    properties: { label: { type: "string" }, children: { type: "array" } },
  };
  const within = { type: "object", properties: { nodes: { type: "array", items: node } } };
  expect(treeView.fit(node)).toBeGreaterThan(0.9);
  expect(treeView.fit(within)).toBeGreaterThan(0.9);
  const schema = { ...within, $defs: { node: { ...node } } };
  expect(treeView.fit(schema)).toBeGreaterThan(0.9);
  expect(treeView.fit({ type: "object", properties: { label: { type: "string" } } })).toBe(0);
});
