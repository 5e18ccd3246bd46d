import { gzipSync } from "node:zlib";
import type { McpServer } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { treeView } from "../../src/templates/index.ts";
import {
  END_OF_SCRIPT,
  expectHarmless,
  expectWithinWidth,
  HOSTILE,
  longestTask,
  MARKUP,
  OVERRIDE,
  withPrototype,
} from "./hostile-text.ts";
import { LONG_NAME as LONG, FILES as nodes } from "./sample-data.ts";
import { openTemplateStage, type Shown, type TemplateStage } from "./template-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

const result = { structuredContent: { nodes } };

const labels = (shown: Shown): Promise<string[]> =>
  shown.frame.locator(".node .label").allTextContents();
const active = (shown: Shown): Promise<string | null | undefined> =>
  shown.frame.evaluate(() => {
    const id = document.querySelector("[role=tree]")?.getAttribute("aria-activedescendant");
    return document.getElementById(id ?? "")?.querySelector(".label")?.textContent;
  });
const said = (shown: Shown): Promise<string | null> =>
  shown.frame.locator("main > [role=status]").last().textContent();

test("the tree is walked, opened, searched and selected with the keyboard alone", async () => {
  const shown = await stage.show(treeView({ title: "Files", selectable: true, expandLevel: 0 }), {
    result,
  });
  const { keyboard } = shown.page;
  const press = async (...keys: string[]): Promise<string | null | undefined> => {
    for (const key of keys) await keyboard.press(key);
    return active(shown);
  };
  await shown.frame.getByRole("button", { name: "Collapse all" }).focus();
  await keyboard.press("Tab");
  expect(await active(shown)).toBe("src");
  expect(await press("ArrowRight", "ArrowRight")).toBe("index.ts");
  expect(await press("ArrowDown", "ArrowRight", "ArrowRight")).toBe("kanban.ts");
  const item = shown.frame.getByRole("treeitem", { name: "kanban.ts" });
  expect(await item.getAttribute("aria-level")).toBe("3");
  expect(await item.getAttribute("aria-setsize")).toBe("2");
  expect(await shown.frame.locator(".path").textContent()).toBe("src / templates / kanban.ts");
  expect(await press("ArrowLeft")).toBe("templates");
  expect(await press("ArrowLeft", "ArrowLeft")).toBe("src");
  expect(await press("End")).toBe("file-7.md");
  expect(await press("Home")).toBe("src");
  expect(await press("t")).toBe("templates");
  expect(await press("t")).toBe("test");
  await keyboard.press("ArrowRight");
  await shown.page.waitForTimeout(700);
  await keyboard.type("file-3");
  expect(await active(shown)).toBe("file-3.md");
  await shown.page.waitForTimeout(700);
  await keyboard.press("Home");
  await press("ArrowLeft", "*");
  expect(await labels(shown)).toContain(LONG);
  await press("End", "Enter");
  expect(await said(shown)).toBe("file-7.md selected");
  expect(await shown.frame.locator("[aria-selected=true] .label").textContent()).toBe("file-7.md");
  expect(await shown.violations()).toEqual([]);
});

describe("a filter", () => {
  test("leaves what is found and what it is in, and tells how many", async () => {
    const shown = await stage.show(treeView(), { result });
    await shown.frame.getByRole("searchbox").fill("KANBAN");
    await expect.poll(() => labels(shown)).toEqual(["src", "templates", "kanban.ts"]);
    expect(await said(shown)).toBe("1 of 16 nodes found");
    expect(await shown.frame.locator("mark").textContent()).toBe("kanban");
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("tree-view-filter", [900, 360]);
    await shown.frame.getByRole("searchbox").fill("zebra");
    expect(await shown.text()).toContain("No node contains “zebra”");
    await shown.frame.getByRole("button", { name: "Clear filter" }).click();
    expect(await labels(shown)).toContain("file-7.md");
  });
});

describe("options", () => {
  test("icons are there by default, and false takes them away", async () => {
    const shown = await stage.show(treeView({ expandLevel: 9 }), { result });
    expect(await shown.frame.locator(".node .sign").count()).toBeGreaterThan(10);
    const sign = shown.frame.getByRole("treeitem", { name: "tree.ts" }).locator(".sign");
    expect(await sign.textContent()).toBe("★");
    const bare = await stage.show(treeView({ showIcons: false }), { result });
    expect(await labels(bare)).toContain("src");
    expect(await bare.frame.locator(".node .sign").count()).toBe(0);
  });

  test.each([
    [undefined, ["src", "index.ts", "templates", "empty", "test", LONG]],
    [0, ["src", "test"]],
    [2, ["src", "index.ts", "templates", "kanban.ts", "tree.ts", "empty", "test", LONG]],
  ])("expandLevel %s opens so many levels", async (expandLevel, expected) => {
    const config = expandLevel === undefined ? {} : { expandLevel };
    const shown = await stage.show(treeView(config), {
      result: { structuredContent: { nodes: nodes.slice(0, 2) } },
    });
    expect(await labels(shown)).toEqual(expected);
  });

  test("nodes can be selected only if the config allows it", async () => {
    const shown = await stage.show(treeView({ onSelectTool: "open" }), { result });
    await shown.frame.getByRole("treeitem", { name: "index.ts" }).click();
    expect(await shown.frame.locator("[aria-selected]").count()).toBe(0);
    expect(shown.calls).toEqual([]);
    // A click on a branch opens and closes it then.
    await shown.frame.getByRole("treeitem", { name: /^src/ }).click();
    expect(await labels(shown)).not.toContain("index.ts");
  });

  test("a filter is shown for a dozen nodes or more, or as configured", async () => {
    const count = async (config: object, data: object): Promise<number> => {
      const shown = await stage.show(treeView(config), { result: { structuredContent: data } });
      await shown.frame.getByRole("tree").waitFor();
      return shown.frame.getByRole("searchbox").count();
    };
    expect(await count({}, { nodes })).toBe(1);
    expect(await count({ filterable: false }, { nodes })).toBe(0);
    expect(await count({}, { nodes: nodes.slice(2) })).toBe(0);
    expect(await count({ filterable: true }, { nodes: nodes.slice(2) })).toBe(1);
  });
});

describe("a selection", () => {
  /** A real tool that answers when it is let, and refuses "index.ts". */
  function openTool(server: McpServer, gate: { wait?: Promise<void> } = {}): void {
    server.registerTool(
      "open",
      { inputSchema: z.object({ nodeId: z.string() }) },
      async ({ nodeId }) => {
        await gate.wait;
        if (nodeId === "index.ts") throw new Error("index.ts is locked");
        return { content: [{ type: "text", text: `This is ${nodeId}.` }] };
      },
    );
  }
  const view = treeView({ title: "Files", selectable: true, onSelectTool: "open" });

  test("calls the tool, shows that it is pending, and then the tool's result", async () => {
    const gate = Promise.withResolvers<void>();
    const shown = await stage.show(view, {
      result,
      tools: (server) => openTool(server, { wait: gate.promise }),
    });
    const item = shown.frame.getByRole("treeitem", { name: "file-2.md" });
    await item.click();
    expect(await item.getAttribute("aria-busy")).toBe("true");
    expect(await said(shown)).toBe("Selecting file-2.md…");
    await shown.shoot("tree-view-pending", [360]);
    gate.resolve();
    await shown.frame.getByText("This is file-2.md.").waitFor();
    expect(await item.getAttribute("aria-busy")).toBeNull();
    expect(await item.getAttribute("aria-selected")).toBe("true");
    expect(shown.calls).toEqual([{ name: "open", arguments: { nodeId: "file-2.md" } }]);
    expect(JSON.stringify(await shown.page.evaluate(() => window.stage.modelContext()))).toContain(
      "Selected: file-2.md",
    );
    expect(await shown.violations()).toEqual([]);
  });

  test("that the tool refuses is undone, said, and can be tried again", async () => {
    const shown = await stage.show(view, { result, tools: (server) => openTool(server) });
    await shown.frame.getByRole("treeitem", { name: "file-1.md" }).click();
    await shown.frame.getByText("This is file-1.md.").waitFor();
    await shown.frame.getByRole("treeitem", { name: "index.ts" }).click();
    const alert = shown.frame.getByRole("alert");
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/index\.ts.*could not be selected.*is locked/);
    expect(await shown.frame.locator("[aria-selected=true] .label").textContent()).toBe(
      "file-1.md",
    );
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("tree-view-refused", [900, 360]);
    await shown.frame.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => shown.calls.length).toBe(3);
    await alert.waitFor();
  });

  test("made faster than the tool answers calls it with the last choice alone", async () => {
    const gate = Promise.withResolvers<void>();
    const shown = await stage.show(view, {
      result,
      tools: (server) => openTool(server, { wait: gate.promise }),
    });
    for (const name of ["file-1.md", "file-2.md", "file-3.md"]) {
      await shown.frame.getByRole("treeitem", { name }).click();
    }
    gate.resolve();
    await shown.frame.getByText("This is file-3.md.").waitFor();
    expect(shown.calls.map((call) => (call.arguments as { nodeId: string }).nodeId)).toEqual([
      "file-1.md",
      "file-3.md",
    ]);
  });

  test("of a node without an id tells its path", async () => {
    const shown = await stage.show(view, {
      result: { structuredContent: { nodes: [{ label: "a", children: [{ label: "b" }] }] } },
      tools: (server) => openTool(server),
    });
    await shown.frame.getByRole("treeitem", { name: "b", exact: true }).click();
    await shown.frame.getByText("This is a/b.").waitFor();
  });

  test("is not made while the model still writes", async () => {
    const shown = await stage.show(view, { partialInput: { nodes }, tools: openTool });
    await shown.frame.getByRole("treeitem", { name: "index.ts" }).click();
    expect(await shown.frame.locator("[aria-selected]").count()).toBe(0);
    expect(shown.calls).toEqual([]);
  });
});

describe("ten thousand nodes", () => {
  const many = Array.from({ length: 100 }, (_, at) => ({
    label: `folder ${at}`,
    children: Array.from({ length: 100 }, (_, child) => ({ label: `file ${at}-${child}` })),
  }));

  test("are drawn as far as they are seen, and walked to the end", async () => {
    const shown = await stage.show(treeView({ expandLevel: 5 }));
    const time = await longestTask(shown, () =>
      shown.tell({ result: { structuredContent: { nodes: many } } }),
    );
    expect(time).toBeLessThan(1500);
    expect(await shown.frame.locator(".node").count()).toBeLessThan(50);
    const item = shown.frame.getByRole("treeitem").first();
    expect(await item.getAttribute("aria-setsize")).toBe("100");
    await shown.frame.getByRole("tree").focus();
    await shown.page.keyboard.press("End");
    await expect.poll(() => active(shown)).toBe("file 99-99");
    await expect.poll(() => labels(shown)).toContain("file 99-90");
    expect(await shown.violations()).toEqual([]);
    // The active node stays where it is when the rest is scrolled.
    await shown.frame.locator(".window").evaluate((one) => one.scrollTo(0, 0));
    await expect.poll(() => labels(shown)).toContain("folder 0");
    expect(await active(shown)).toBe("file 99-99");
    await shown.frame.getByRole("searchbox").fill("file 42-4");
    await expect.poll(() => said(shown)).toBe("11 of 10,100 nodes found");
  });
});

describe("hostile data", () => {
  test("is text, whatever it looks like", async () => {
    const hostile = HOSTILE.map((text) => ({
      ...{ id: text, label: text, meta: text, icon: text, iconChar: text },
      children: [{ label: text }],
    }));
    const view = treeView({ title: END_OF_SCRIPT, selectable: true, onSelectTool: "none" });
    const shown = await stage.show(view, { result: withPrototype({ nodes: hostile }) });
    await expect.poll(() => labels(shown)).toContain(MARKUP);
    expect(await shown.text()).not.toContain("INHERITED");
    await shown.frame.getByRole("treeitem").filter({ hasText: OVERRIDE }).first().click();
    await shown.frame.getByRole("alert").waitFor();
    await expectHarmless(shown);
  });

  test("ten thousand levels deep is drawn, and fits 320 pixels", async () => {
    const levels = 10_000;
    // As text, because our Host rejects structured content of that depth.
    const text = `${'[{"label":"level","children":'.repeat(levels)}[{"label":"deepest"}]${"}]".repeat(levels)}`;
    const shown = await stage.show(treeView({ expandLevel: levels + 1 }), {
      result: { content: [{ type: "text", text }] },
      width: 344,
    });
    await shown.frame.getByRole("tree").focus();
    await shown.page.keyboard.press("End");
    await expect.poll(() => active(shown)).toBe("deepest");
    const last = shown.frame.getByRole("treeitem", { name: "deepest" });
    expect(await last.getAttribute("aria-level")).toBe("10001");
    await expectWithinWidth(shown, 320);
    expect(await last.locator(".label").evaluate((one) => one.clientWidth)).toBeGreaterThan(40);
    expect(await shown.frame.locator(".path").textContent()).toMatch(/^… \/ level/);
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("tree-view-deep", [344]);
    expect(shown.errors).toEqual([]);
  });
});

test("where text runs to the left, so does the tree", async () => {
  const shown = await stage.show(treeView({ title: "ملفات", expandLevel: 1 }), {
    result,
    context: { locale: "ar-EG" },
  });
  const tree = shown.frame.getByRole("tree");
  await tree.focus();
  await shown.page.keyboard.press("ArrowLeft");
  expect(await active(shown)).toBe("index.ts");
  const [outer, inner] = await shown.frame.evaluate(() =>
    ["src", "index.ts"].map((name) => {
      const labels = [...document.querySelectorAll(".label")];
      return labels.find(({ textContent }) => textContent === name)?.getBoundingClientRect().right;
    }),
  );
  expect(outer).toBeGreaterThan(inner as number);
  // A label that is cut keeps its beginning, next to its icon.
  const gap = await shown.frame.evaluate(() => {
    const label = document.querySelector(".label") as Element;
    const range = document.createRange();
    range.selectNodeContents(label);
    return label.getBoundingClientRect().right - range.getBoundingClientRect().right;
  });
  expect(gap).toBeLessThan(2);
  expect(await shown.violations()).toEqual([]);
  await shown.shoot("tree-view-rtl", [900, 360]);
});

test("the page stays below 25 kB", () => {
  expect(gzipSync(treeView({ title: "Tree" }).html(), { level: 9 }).length).toBeLessThan(25_000);
});
