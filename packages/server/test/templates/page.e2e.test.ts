import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { type PageBlock, page } from "../../src/templates/index.ts";
import { DASHBOARD, DASHBOARD_DATA, ORDER_FORM } from "./dashboard.ts";
import { openTemplateStage, type TemplateStage } from "./template-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

const dashboard = page({ title: "Shop", blocks: DASHBOARD });
const result = { structuredContent: DASHBOARD_DATA };

function gzipBytes(text: string): number {
  return gzipSync(text, { level: 9 }).length;
}

describe("a dashboard of six blocks from one JSON document", () => {
  test("is at most 45 KB with gzip, because it has the code of its blocks only", () => {
    const known = gzipBytes(dashboard.html());
    const atRunTime = gzipBytes(page({ title: "Shop" }).html());
    const withForm = gzipBytes(page({ title: "Shop", blocks: [...DASHBOARD, ORDER_FORM] }).html());
    console.info(`known document ${known} bytes, with a form ${withForm} bytes`);
    console.info(`document at run time, with all blocks, ${atRunTime} bytes`);
    expect(known).toBeLessThanOrEqual(45_000);
    expect(known).toBeLessThan(atRunTime);
  });

  test("shows its data, and axe finds nothing", async () => {
    const shown = await stage.show(dashboard, { result });
    for (const theme of ["light", "dark"] as const) {
      await shown.setTheme(theme);
      await expect.poll(() => shown.text()).toMatch(/€128,400[\s\S]*12\.4%[\s\S]*Tea does not/);
      expect(await shown.violations()).toEqual([]);
      await shown.shoot(`page-dashboard-${theme}`, [900, 360]);
    }
    expect(shown.errors).toEqual([]);
  });

  test("has tabs for the keyboard, asks before it destroys, and takes the result of an action", async () => {
    const shown = await stage.show(page({ blocks: [...DASHBOARD, ORDER_FORM] }), {
      result,
      tools: (server) => {
        const text = (text: string) => ({ content: [{ type: "text" as const, text }] });
        server.registerTool("archive", {}, async () => text("Archived 3 orders."));
        server.registerTool("create_order", { inputSchema: z.looseObject({}) }, async () =>
          text("Order A-2000"),
        );
        server.registerTool("refresh", {}, async () => ({
          ...text("Refreshed"),
          structuredContent: { ...DASHBOARD_DATA, open: 99 },
        }));
      },
    });
    const { frame, calls } = shown;
    await frame.getByRole("tab", { name: "Orders" }).press("ArrowRight");
    await frame.getByRole("tabpanel", { name: "Newest order" }).getByText("A-1000").waitFor();
    await frame.getByRole("textbox", { name: "Customer" }).fill("Ada");
    await frame.getByRole("button", { name: "Create order" }).click();
    await frame.getByText("Order A-2000").waitFor();
    await frame.getByRole("button", { name: "Archive" }).click();
    expect(
      await frame.getByRole("button", { name: "Keep" }).evaluate((e) => e.matches(":focus")),
    ).toBe(true);
    expect(calls.map(({ name }) => name)).toEqual(["create_order"]);
    await frame.getByRole("alertdialog").getByRole("button", { name: "Archive" }).click();
    await frame.getByText("Archived 3 orders.").waitFor();
    await frame.getByRole("button", { name: "Refresh" }).click();
    await frame.getByText("99", { exact: true }).waitFor();
    expect(shown.errors).toEqual([]);
  });
});

describe("a document that arrives at run time", () => {
  const view = page({ tools: ["refresh"] });
  const blocks: PageBlock[] = [
    { type: "heading", text: "Stock" },
    { type: "metric", label: "Boxes", data: "/boxes" },
    { type: "table", title: "Rows", data: "/rows" },
  ];
  const document = { title: "Warehouse", blocks, boxes: 42, rows: [{ item: "Crate", count: 7 }] };

  test("is drawn from the result", async () => {
    const shown = await stage.show(view, { result: { structuredContent: document } });
    await expect.poll(() => shown.text()).toMatch(/Warehouse[\s\S]*Stock[\s\S]*42[\s\S]*Crate/);
    expect(await shown.violations()).toEqual([]);
  });

  test("is drawn while the model writes it, as far as it's valid", async () => {
    const { frame, tell, text } = await stage.show(view, {
      partialInput: { title: "Ware", blocks: [blocks[0], { type: "met" }] },
    });
    await expect.poll(text).toMatch(/Ware[\s\S]*Stock/);
    expect(await frame.getByText("can't be shown").count()).toBe(0);
    // A tool that only answers in words shows what it was called with.
    await tell({ input: document, result: { content: [{ type: "text", text: "Shown." }] } });
    await expect.poll(text).toMatch(/Warehouse[\s\S]*42[\s\S]*Crate/);
  });

  test("shows hostile parts as text or not at all", async () => {
    const shown = await stage.show(view, {
      result: {
        structuredContent: {
          title: "<img src=x onerror=alert(1)>",
          blocks: [
            { type: "actions", actions: [{ label: "Free money", tool: "transfer" }] },
            { type: "actions", actions: [{ label: "Click", url: "javascript:alert(1)" }] },
            { type: "html", html: "<b>bold</b>" },
            { type: "text", data: "/__proto__/toString" },
            { type: "text", text: "<script>alert(1)</script>" },
            { type: "table", data: "/rows" },
          ],
          rows: [{ type: "actions", actions: "none" }],
        },
      },
    });
    await expect.poll(() => shown.text()).toMatch(/<script>alert\(1\)<\/script>/);
    const text = await shown.text();
    expect(text).toContain("<img src=x onerror=alert(1)>");
    expect(text).toMatch(/Parts of this page can't be shown: 3/);
    expect(text).not.toMatch(/Free money|Click/);
    expect(await shown.frame.locator("img, script[src]").count()).toBe(0);
    await shown.frame.getByText("Details").click();
    expect(await shown.text()).toMatch(/tool is "transfer", which is not a tool of this page/);
    expect(shown.errors).toEqual([]);
  });
});
