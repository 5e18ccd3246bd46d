import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { dataTable } from "../../src/templates/index.ts";
import { openTemplateStage, type TemplateStage } from "./template-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

describe("actions on a row", () => {
  const rows = [
    { order: "A-1", status: "Paid", page: "https://shop.example.com/orders/1", total: 12.5 },
    { order: "A-2", status: "overdue", page: "javascript:alert(1)", total: 1200 },
  ];
  const view = dataTable({
    columns: [
      { key: "order", linkKey: "page" },
      { key: "status" },
      { key: "plan", badge: { pro: "info" } },
      { key: "total", format: "currency:EUR" },
      { key: "page" },
    ],
    rowActions: [
      { label: "Remind", tool: "remind", args: { by: "mail" }, rowArgs: { id: "order" } },
      {
        label: "Delete",
        tool: "remove",
        rowArgs: { id: "order" },
        destructive: true,
        refresh: true,
      },
    ],
  });
  const show = (width = 900) =>
    stage.show(view, {
      width,
      result: { structuredContent: { rows } },
      tools: (server) => {
        server.registerTool("remind", { inputSchema: z.looseObject({}) }, async () => ({
          content: [{ type: "text", text: "The customer has a mail." }],
        }));
        server.registerTool("remove", { inputSchema: z.looseObject({}) }, async () => ({
          content: [],
          structuredContent: { rows: rows.slice(0, 1) },
        }));
      },
    });

  test("call a tool with values of the row, by keyboard, and ask before they destroy", async () => {
    const shown = await show();
    const { frame, page, calls } = shown;
    await frame.getByRole("button", { name: "Actions for A-2" }).press("Enter");
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("data-table-menu", [900]);
    await frame.getByRole("menuitem", { name: "Remind" }).waitFor();
    await page.keyboard.press("Enter");
    await frame.getByText("The customer has a mail.").waitFor();
    expect(calls).toEqual([{ name: "remind", arguments: { by: "mail", id: "A-2" } }]);
    await frame.getByRole("button", { name: "Actions for A-2" }).press("Enter");
    await frame.getByRole("menuitem", { name: "Delete" }).click();
    const question = frame.getByRole("alertdialog", { name: "Delete “A-2”?" });
    await question.getByRole("button", { name: "Keep" }).press("Escape");
    expect(await question.count()).toBe(0);
    expect(calls).toHaveLength(1);
    await frame.getByRole("button", { name: "Actions for A-2" }).click();
    await frame.getByRole("menuitem", { name: "Delete" }).click();
    await question.getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => frame.getByRole("row").count()).toBe(2);
    expect(shown.errors).toEqual([]);
  });

  test("are on cards if the view is narrow, as are badges and links", async () => {
    const shown = await show(360);
    const { frame } = shown;
    const card = frame.getByRole("listitem").filter({ hasText: "A-1" });
    await card.getByRole("link", { name: "A-1" }).click();
    await expect
      .poll(() => shown.page.evaluate(() => window.stage.links))
      .toEqual(["https://shop.example.com/orders/1"]);
    expect(await card.getByRole("link").nth(1).textContent()).toBe("shop.example.com/orders/1");
    // An address that isn't safe is text.
    expect(
      await frame.getByRole("listitem").filter({ hasText: "A-2" }).getByRole("link").count(),
    ).toBe(0);
    expect(await card.locator(".badge").getAttribute("class")).toBe("badge success");
    await frame.getByRole("combobox", { name: "Sort by" }).selectOption("Total");
    await frame.getByRole("button", { name: "ascending" }).click();
    expect(await frame.getByRole("listitem").first().textContent()).toMatch(/^A-2/);
    const [page, inner] = await frame.evaluate(() => [
      document.documentElement.scrollWidth,
      innerWidth,
    ]);
    expect(page).toBe(inner);
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("data-table-cards", [360, 900]);
  });
});
