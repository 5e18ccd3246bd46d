import { gzipSync } from "node:zlib";
import type { McpServer } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { kanban } from "../../src/templates/index.ts";
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
import { board, cards, columns, config, result, START } from "./kanban-board.ts";
import { openTemplateStage, type TemplateStage } from "./template-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

test("a board without columns and cards is empty", async () => {
  const shown = await stage.show(kanban({ title: "Nothing" }), {
    result: { structuredContent: { cards: [] } },
  });
  expect(await shown.frame.locator(".empty").textContent()).toBe(
    "There are no cards on this board.",
  );
});

describe("a click on a card", () => {
  const openTool = (server: McpServer): unknown =>
    server.registerTool(
      "open",
      { inputSchema: z.strictObject({ cardId: z.string() }) },
      async ({ cardId }) => {
        if (cardId === "A-3") throw new Error("Not yours.");
        return { content: [{ type: "text", text: `All there is to ${cardId}.` }] };
      },
    );

  test("calls the tool, and shows its result or its error", async () => {
    const shown = await stage.show(kanban({ ...config, onCardClickTool: "open" }), {
      result,
      tools: openTool,
    });
    await shown.frame.getByRole("button", { name: "Order paper", exact: true }).click();
    await shown.frame.getByText("All there is to A-2.").waitFor();
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("kanban-opened", [900, 360]);
    const review = shown.frame.getByRole("button", { name: "Review", exact: true });
    await review.focus();
    await shown.page.keyboard.press("Enter");
    const alert = shown.frame.getByRole("alert");
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/Review.*could not be opened.*Not yours\./);
    expect(shown.calls).toEqual([
      { name: "open", arguments: { cardId: "A-2" } },
      { name: "open", arguments: { cardId: "A-3" } },
    ]);
    await shown.frame.getByRole("button", { name: "Dismiss" }).click();
    expect(await alert.count()).toBe(0);
    expect(await shown.frame.locator(":focus").textContent()).toBe("Review");
  });

  test("does nothing without a tool", async () => {
    const shown = await stage.show(kanban({ ...config, draggable: false }), { result });
    expect(await shown.frame.getByRole("button").count()).toBe(0);
  });
});

describe("options", () => {
  test("draggable false is false, and a board that is being written cannot be moved either", async () => {
    const fixed = await stage.show(kanban({ ...config, draggable: false }), { result });
    expect(await fixed.frame.locator(".handle, .free").count()).toBe(0);
    expect(await fixed.violations()).toEqual([]);
    const partial = await stage.show(kanban(config), { partialInput: { cards } });
    expect(await board(partial)).toBe(START);
    expect(await partial.frame.locator(".handle, .free").count()).toBe(0);
  });

  test("cards of a column that isn't in the config are shown in a column of that name", async () => {
    const shown = await stage.show(kanban({ columns: columns.slice(0, 1) }), { result });
    expect(await board(shown)).toBe(
      "To do: Write the report, Order paper | doing: Review | done: Invite the board",
    );
  });
});

describe("hostile data", () => {
  test("is text, whatever it looks like", async () => {
    const hostile = HOSTILE.map((text) => ({
      ...{ id: text, title: text, description: text, column: text },
      ...{ priority: text, tags: [text, text], assignee: text },
    }));
    const view = kanban({ title: END_OF_SCRIPT, onMoveTool: "none", onCardClickTool: "none" });
    const shown = await stage.show(view, { result: withPrototype({ cards: hostile }) });
    await expect.poll(() => board(shown)).toContain(MARKUP);
    expect(await shown.text()).not.toContain("INHERITED");
    await shown.frame.locator(".card").filter({ hasText: OVERRIDE }).locator(".handle").focus();
    for (const key of ["Space", "ArrowLeft", "Space"]) await shown.page.keyboard.press(key);
    await shown.frame.getByRole("alert").waitFor();
    await expectHarmless(shown);
  });

  test("of ten megabytes is a board all the same", async () => {
    const many = Array.from({ length: 20_000 }, (_, at) => ({
      ...{ id: at, title: `Card ${at}`, column: columns[at % 3]?.id },
      description: "Lorem ipsum dolor sit amet, consectetur adipiscing elit. ".repeat(8),
    }));
    const shown = await stage.show(kanban(config));
    const time = await longestTask(shown, async () => {
      await shown.tell({ result: { structuredContent: { cards: many } } });
      await shown.frame.getByRole("button", { name: "Show 50 more" }).first().waitFor();
    });
    expect(time).toBeLessThan(3000);
    expect(await shown.frame.locator(".card").count()).toBe(150);
    await shown.frame.getByRole("button", { name: "Show 50 more" }).first().click();
    expect(await shown.frame.locator(".card").count()).toBe(200);
  }, 60_000);
});

test("everything fits 320 pixels, columns below each other", async () => {
  const shown = await stage.show(kanban({ ...config, onCardClickTool: "open" }), {
    result,
    width: 344,
  });
  await expectWithinWidth(shown, 320);
  const tops = await shown.frame
    .locator(".lane")
    .evaluateAll((lanes) => lanes.map((lane) => lane.getBoundingClientRect().top));
  expect(tops).toEqual([...new Set(tops)].sort((a, b) => a - b));
  expect(await shown.violations()).toEqual([]);
});

test("a board wider than its View is scrolled with the keyboard", async () => {
  const many = Array.from({ length: 9 }, (_, at) => ({ id: `${at}`, title: `Column ${at}` }));
  const shown = await stage.show(kanban({ columns: many, draggable: false }), {
    result: { structuredContent: { cards: [{ title: "a", column: "0" }] } },
  });
  const region = shown.frame.getByRole("region", { name: "Board" });
  await region.focus();
  await shown.page.keyboard.press("ArrowRight");
  await expect.poll(() => region.evaluate((one) => one.scrollLeft)).toBeGreaterThan(0);
  expect(await shown.violations()).toEqual([]);
});

test("the page stays below 25 kB", () => {
  expect(gzipSync(kanban({ title: "Board" }).html(), { level: 9 }).length).toBeLessThan(25_000);
});
