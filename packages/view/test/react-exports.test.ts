import { readFileSync } from "node:fs";
import * as main from "@vitrine/view";
import * as debug from "@vitrine/view/debug";
import * as react from "@vitrine/view/react";
import * as svelte from "@vitrine/view/svelte";
import * as vue from "@vitrine/view/vue";
import { describe, expect, test } from "vitest";

const HOOKS = [
  "useApp",
  "useAutoResize",
  "useDisplayMode",
  "useDocumentTheme",
  "useHostContext",
  "useHostFonts",
  "useHostStyleVariables",
  "useHostStyles",
  "useModelContext",
  "usePartialInput",
  "useToolCall",
  "useToolInput",
  "useToolResult",
  "useUpload",
  "useViewState",
];

/** Every name in the export lists of an entry, types included, which exist in the source only. */
function listed(entry: string): string[] {
  const source = readFileSync(new URL(`../src/${entry}.ts`, import.meta.url), "utf8");
  const lists = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map(
    ([, list = ""]) => list,
  );
  return lists.flatMap((list) => list.match(/\b(?!type\b)[A-Za-z_]\w*/g) ?? []);
}

describe("the entries", () => {
  test.each(["react", "debug"])("./%s passes on every name of the main one, types too", (entry) => {
    expect(listed("index").length).toBeGreaterThan(80);
    expect(listed("index").filter((name) => !listed(entry).includes(name))).toEqual([]);
  });

  test("./react adds the hooks", () => {
    expect(Object.keys(react).sort()).toEqual([...Object.keys(main), ...HOOKS].sort());
  });

  test("./debug adds nothing: only the import changes", () => {
    expect(Object.keys(debug).sort()).toEqual(Object.keys(main).sort());
    expect(debug.App).toBe(main.App);
  });

  test("./vue and ./svelte have the hooks by the same names", () => {
    expect(Object.keys(vue).sort()).toEqual(HOOKS);
    expect(Object.keys(svelte).sort()).toEqual(HOOKS);
  });
});
