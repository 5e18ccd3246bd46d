import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { dataTable, detail } from "../../src/templates/index.ts";
import { ORDERS, PATIENT } from "./sample-data.ts";
import { openTemplateStage, type TemplateStage } from "./template-stage.ts";

vi.setConfig({ hookTimeout: 60_000, testTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

test.each([
  ["detail", detail({ title: "Patient record" }), { structuredContent: PATIENT }],
  ["data-table", dataTable({ title: "Orders" }), { structuredContent: { rows: ORDERS } }],
] as const)(
  "a %s that is longer than its container reports the container's height, and scrolls (VEW-25)",
  async (_, view, result) => {
    const { frame, page } = await stage.show(view, { result });
    const own = (): Promise<number> => frame.evaluate(() => document.documentElement.scrollHeight);
    await expect.poll(own).toBeGreaterThan(200);
    const heights = await page.evaluateHandle(() => {
      const seen: unknown[] = [];
      const bridge = window.stage.host.views.get("view")?.bridge;
      bridge?.addEventListener("sizechange", ({ height }) => seen.push(height));
      // What another Host says; ours has its own limit.
      bridge?.peer.notify("ui/notifications/host-context-changed", {
        containerDimensions: { maxHeight: 150 },
      });
      return seen;
    });
    await expect.poll(() => heights.evaluate((seen) => seen.length)).toBeGreaterThan(0);
    expect(new Set(await heights.jsonValue())).toEqual(new Set([150]));
    const { content, box } = await frame.evaluate(() => ({
      content: document.documentElement.scrollHeight,
      box: document.documentElement.getBoundingClientRect().height,
    }));
    expect(box).toBe(150);
    expect(content).toBeGreaterThan(200);
  },
);
