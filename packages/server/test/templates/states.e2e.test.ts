import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { dataTable } from "../../src/templates/index.ts";
import { ORDERS } from "./sample-data.ts";
import { openTemplateStage, type TemplateStage } from "./template-stage.ts";
import { statesOf, TEMPLATES } from "./template-states.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

describe.each(Object.entries(TEMPLATES))("%s", (_name, template) => {
  test.each(statesOf(template))(
    "%s reads well in light and dark, and axe finds nothing",
    async (_state, { told, reads, view = template.view }) => {
      const shown = await stage.show(view, told);
      for (const theme of ["light", "dark"] as const) {
        await shown.setTheme(theme);
        await expect.poll(() => shown.text()).toMatch(reads);
        expect(await shown.violations()).toEqual([]);
        const ground = await shown.frame.evaluate(
          () => getComputedStyle(document.body).backgroundColor,
        );
        expect(ground).toBe(theme === "light" ? "rgb(255, 255, 255)" : "rgb(26, 27, 30)");
      }
      expect(shown.errors).toEqual([]);
    },
  );
});

const table = dataTable({ title: "Orders" });
const failed = { isError: true, content: [{ type: "text" as const, text: "The disk is full." }] };

describe("after a failure", () => {
  test("a read-only tool is called again with the same input, and its result shown", async () => {
    const answer = { content: [], structuredContent: { rows: ORDERS.slice(0, 2) } };
    const shown = await stage.show(table, {
      input: { month: "March" },
      result: { ...failed, structuredContent: { code: "ENOSPC" } },
      tool: { annotations: { readOnlyHint: true }, answer },
    });
    await expect.poll(() => shown.text()).toContain("The disk is full.");
    expect(await shown.text()).not.toContain("ENOSPC");
    await shown.frame.getByText("Details").click();
    expect(await shown.text()).toContain("ENOSPC");
    await shown.frame.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => shown.text()).toContain("Grace Hopper");
    expect(shown.calls).toEqual([{ name: "show", arguments: { month: "March" } }]);
  });

  test("a tool that may change things is not called; the conversation is asked", async () => {
    const shown = await stage.show(table, { input: {}, result: failed });
    await shown.frame.getByRole("button", { name: "Try again" }).click();
    const messages = () => shown.page.evaluate(() => window.stage.messages);
    await expect.poll(messages).toEqual([[{ type: "text", text: "Please try “Show it” again." }]]);
    expect(shown.calls).toEqual([]);
    expect(await shown.text()).toContain("The disk is full.");
  });
});

test("a cancelled call keeps what there was", async () => {
  const shown = await stage.show(table, { partialInput: { rows: ORDERS.slice(0, 2) } });
  await shown.tell({ cancelled: "You stopped it." });
  await expect.poll(() => shown.text()).toMatch(/You stopped it[\s\S]*Grace Hopper/);
});

test("empty data shows one sentence, whatever text comes with it", async () => {
  const content = [{ type: "text" as const, text: "# Sprint 42\n(no data)" }];
  const shown = await stage.show(table, { result: { content, structuredContent: {} } });
  await expect.poll(() => shown.text()).not.toContain("Loading");
  expect(await shown.text()).not.toContain("no data");
  expect(await shown.frame.locator(".empty").count()).toBe(1);
});
