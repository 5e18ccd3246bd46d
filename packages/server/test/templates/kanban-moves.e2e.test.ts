import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { kanban } from "../../src/templates/index.ts";
import {
  board,
  config,
  handle,
  MOVED,
  type MoveTool,
  moveTool,
  result,
  START,
  said,
} from "./kanban-board.ts";
import { openTemplateStage, type Shown, type TemplateStage } from "./template-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

describe("with the keyboard alone", () => {
  test("a card is picked up, carried and put down, and the tool is called", async () => {
    const shown = await stage.show(kanban({ ...config, onMoveTool: "move" }), {
      result,
      tools: (server) => moveTool(server),
    });
    const { keyboard } = shown.page;
    await shown.frame.locator("body").click({ position: { x: 2, y: 2 } });
    await keyboard.press("Tab");
    const focus = shown.frame.locator(":focus");
    expect(await focus.getAttribute("aria-label")).toBe("Move Write the report");
    const how = (await focus.getAttribute("aria-describedby")) ?? "";
    expect(await shown.frame.locator(`[id="${how}"]`).textContent()).toContain("Press Space");
    await keyboard.press("Space");
    expect(await said(shown)).toBe("Write the report picked up in To do");
    await keyboard.press("ArrowRight");
    expect(await said(shown)).toBe("In progress");
    expect(await board(shown)).toBe(MOVED);
    expect(shown.calls).toEqual([]);
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("kanban-carried", [900, 360]);
    await keyboard.press("Space");
    await expect.poll(() => said(shown)).toBe("Write the report moved to In progress");
    expect(await board(shown)).toBe(MOVED);
    expect(shown.calls).toEqual([
      { name: "move", arguments: { cardId: "A-1", fromColumn: "todo", toColumn: "doing" } },
    ]);
    // The focus went along.
    expect(await focus.getAttribute("aria-label")).toBe("Move Write the report");
    expect(JSON.stringify(await shown.page.evaluate(() => window.stage.modelContext()))).toContain(
      "Moved “Write the report” (A-1) to In progress",
    );
  });

  test("Escape, and going elsewhere, put it back where it was", async () => {
    const shown = await stage.show(kanban({ ...config, onMoveTool: "move" }), {
      result,
      tools: (server) => moveTool(server),
    });
    const { keyboard } = shown.page;
    await handle(shown, "Write the report").focus();
    for (const key of ["Enter", "ArrowRight", "ArrowRight"]) await keyboard.press(key);
    expect(await board(shown)).toContain("Done: Invite the board, Write the report");
    await keyboard.press("Escape");
    expect(await said(shown)).toBe("Write the report put back to To do");
    expect(await board(shown)).toBe(START);
    const focus = shown.frame.locator(":focus");
    expect(await focus.getAttribute("aria-label")).toBe("Move Write the report");
    for (const key of ["Space", "ArrowDown", "Tab"]) await keyboard.press(key);
    await expect.poll(() => board(shown)).toBe(START);
    expect(shown.calls).toEqual([]);
  });

  test("where the order counts, it goes between others, and the tool gets the position", async () => {
    const shown = await stage.show(kanban({ ...config, onMoveTool: "move", ordered: true }), {
      result,
      tools: (server) => moveTool(server),
    });
    const { keyboard } = shown.page;
    await handle(shown, "Order paper").focus();
    for (const key of ["Space", "ArrowUp"]) await keyboard.press(key);
    expect(await said(shown)).toBe("To do, 1 of 2");
    await keyboard.press("Space");
    expect(await board(shown)).toMatch(/^To do: Order paper, Write the report/);
    await expect
      .poll(() => shown.calls.map((call) => call.arguments))
      .toEqual([{ cardId: "A-2", fromColumn: "todo", toColumn: "todo", toIndex: 0 }]);
  });

  test("arrows go the other way where text runs to the left", async () => {
    const shown = await stage.show(kanban({ ...config, title: "لوحة" }), {
      result,
      context: { locale: "ar-EG" },
    });
    await handle(shown, "Write the report").focus();
    for (const key of ["Space", "ArrowLeft", "Space"]) await shown.page.keyboard.press(key);
    expect(await board(shown)).toBe(MOVED);
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("kanban-rtl", [900, 360]);
  });
});

describe("with the pointer", () => {
  const drag = async (shown: Shown, title: string, to: string): Promise<void> => {
    const card = shown.frame.locator(".card").filter({ hasText: title });
    const [from, target] = await Promise.all([
      card.boundingBox(),
      shown.frame.locator(".lane").filter({ hasText: to }).boundingBox(),
    ]);
    if (!from || !target) throw new Error("not on screen");
    const [x, y] = [from.x + Math.min(30, from.width / 2), from.y + 14];
    const { mouse } = shown.page;
    await mouse.move(x, y);
    await mouse.down();
    await mouse.move(x + 20, y + 5, { steps: 3 });
    await mouse.move(target.x + target.width / 2, target.y + target.height - 12, { steps: 6 });
  };

  test("a card is dragged into another column", async () => {
    const shown = await stage.show(
      kanban({ ...config, onMoveTool: "move", onCardClickTool: "open" }),
      { result, tools: (server) => moveTool(server) },
    );
    await drag(shown, "Write the report", "In progress");
    expect(await shown.frame.locator(".lane.over h2").textContent()).toBe("In progress");
    await shown.shoot("kanban-dragged");
    await shown.page.mouse.up();
    await expect.poll(() => board(shown)).toBe(MOVED);
    // It was dragged by its title, which doesn't count as a click.
    await expect.poll(() => shown.calls.map(({ name }) => name)).toEqual(["move"]);
  });

  test("Escape, and letting go outside, leave it where it was", async () => {
    const shown = await stage.show(kanban({ ...config, onMoveTool: "move" }), { result });
    await drag(shown, "Write the report", "Done");
    await shown.page.keyboard.press("Escape");
    await shown.page.mouse.up();
    expect(await board(shown)).toBe(START);
    await drag(shown, "Write the report", "Done");
    await shown.page.mouse.move(5, 5);
    await shown.page.mouse.up();
    expect(await board(shown)).toBe(START);
    expect(shown.calls).toEqual([]);
  });

  test("a finger drags by the handle", async () => {
    const shown = await stage.show(kanban({ ...config, onMoveTool: "move" }), {
      result,
      tools: (server) => moveTool(server),
    });
    /** What a finger sends; the driver's own touch does not reach a frame of another process. */
    const slide = (from: string): Promise<string> =>
      shown.frame.evaluate((from) => {
        const [card, lane] = [
          [...document.querySelectorAll(".card")].find((one) => one.textContent?.includes("Order")),
          document.querySelectorAll(".lane")[2],
        ];
        const start = card?.querySelector(from) ?? card;
        if (!start || !lane) throw new Error("not on screen");
        const [a, b] = [start.getBoundingClientRect(), lane.getBoundingClientRect()];
        const send = (type: string, share: number): void => {
          const clientX = a.left + 5 + (b.left + b.width / 2 - a.left - 5) * share;
          const clientY = a.top + 5 + (b.bottom - 10 - a.top - 5) * share;
          const init = { pointerType: "touch", pointerId: 7, bubbles: true, clientX, clientY };
          start.dispatchEvent(new PointerEvent(type, init));
        };
        send("pointerdown", 0);
        for (const share of [0.2, 0.6, 1]) send("pointermove", share);
        send("pointerup", 1);
        return getComputedStyle(start).touchAction;
      }, from);
    // Elsewhere on a card it scrolls, and the browser is let.
    expect(await slide(".title")).toBe("auto");
    expect(await board(shown)).toBe(START);
    expect(await slide(".handle")).toBe("none");
    await expect.poll(() => board(shown)).toContain("Done: Invite the board, Order paper");
    await expect.poll(() => shown.calls.length).toBe(1);
  });

  test("where the order counts, it is put between others", async () => {
    const shown = await stage.show(kanban({ ...config, ordered: true }), { result });
    const target = await shown.frame.locator(".card").filter({ hasText: "Review" }).boundingBox();
    const card = await shown.frame.locator(".card").filter({ hasText: "Order" }).boundingBox();
    if (!target || !card) throw new Error("not on screen");
    const { mouse } = shown.page;
    await mouse.move(card.x + 20, card.y + 14);
    await mouse.down();
    await mouse.move(target.x + 40, target.y + 10, { steps: 6 });
    expect(await shown.frame.locator(".mark").count()).toBe(1);
    await mouse.up();
    await expect.poll(() => board(shown)).toContain("In progress: Order paper, Review");
  });
});

describe("a move", () => {
  test("is seen at once and waits; what the Server answers with cards becomes the board", async () => {
    const gate = Promise.withResolvers<void>();
    const answer = { cards: [{ id: "A-1", title: "Write the report", column: "done" }] };
    const shown = await stage.show(kanban({ ...config, onMoveTool: "move" }), {
      result,
      tools: (server) => moveTool(server, { wait: gate.promise, answer }),
    });
    await handle(shown, "Write the report").focus();
    for (const key of ["Space", "ArrowRight", "Space"]) await shown.page.keyboard.press(key);
    expect(await board(shown)).toBe(MOVED);
    const card = shown.frame.locator(".card").filter({ hasText: "Write the report" });
    expect(await card.getAttribute("aria-busy")).toBe("true");
    expect(await said(shown)).toBe("Moving Write the report to In progress…");
    // Until it is answered the card stays where it is.
    for (const key of ["Space", "ArrowRight", "Space"]) await shown.page.keyboard.press(key);
    expect(await board(shown)).toBe(MOVED);
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("kanban-pending", [360]);
    gate.resolve();
    await expect.poll(() => board(shown)).toBe("To do: | In progress: | Done: Write the report");
    expect(shown.calls).toHaveLength(1);
  });

  test("that the Server refuses is undone, said, and can be tried again", async () => {
    const tool: MoveTool = { refuse: true };
    const shown = await stage.show(kanban({ ...config, onMoveTool: "move" }), {
      result,
      tools: (server) => moveTool(server, tool),
    });
    await handle(shown, "Order paper").focus();
    for (const key of ["Space", "ArrowRight", "Space"]) await shown.page.keyboard.press(key);
    const alert = shown.frame.getByRole("alert");
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(
      /Order paper.*could not be moved to.*In progress.*Somebody else is editing/,
    );
    expect(await board(shown)).toBe(START);
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("kanban-refused", [900, 360]);
    tool.refuse = false;
    await shown.frame.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => board(shown)).toContain("In progress: Review, Order paper");
    expect(await alert.count()).toBe(0);
    expect(shown.calls).toHaveLength(2);
  });

  test("without a tool is sent to the model", async () => {
    const shown = await stage.show(kanban(config), { result });
    await handle(shown, "Order paper").focus();
    for (const key of ["Space", "ArrowRight", "Space"]) await shown.page.keyboard.press(key);
    expect(await said(shown)).toBe("Order paper moved to In progress");
    expect(JSON.stringify(await shown.page.evaluate(() => window.stage.modelContext()))).toContain(
      "Moved “Order paper” (A-2) to In progress",
    );
    expect(shown.calls).toEqual([]);
  });
});
