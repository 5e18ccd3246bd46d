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

const PATIENT_RECORD = detail({ title: "Patient record" });
const ORDER_LIST = dataTable({ title: "Orders" });

test.each([
  ["detail", PATIENT_RECORD, { structuredContent: PATIENT }, 150],
  ["detail", PATIENT_RECORD, { structuredContent: PATIENT }, 60],
  ["data-table", ORDER_LIST, { structuredContent: { rows: ORDERS } }, 150],
] as const)(
  "a %s that is longer than its container reports the container's height, and scrolls (VEW-25)",
  async (_, view, result, maxHeight) => {
    const { frame, page } = await stage.show(view, { result });
    const own = (): Promise<number> => frame.evaluate(() => document.documentElement.scrollHeight);
    await expect.poll(own).toBeGreaterThan(200);
    const heights = await page.evaluateHandle((maxHeight) => {
      const seen: unknown[] = [];
      const bridge = window.stage.host.views.get("view")?.bridge;
      bridge?.addEventListener("sizechange", ({ height }) => seen.push(height));
      // Another Host may send this limit; ours has its own.
      bridge?.peer.notify("ui/notifications/host-context-changed", {
        containerDimensions: { maxHeight },
      });
      return seen;
    }, maxHeight);
    // A report from before the change may still be on its way.
    const last = (): Promise<unknown> => heights.evaluate((seen) => seen.at(-1));
    await expect.poll(last).toBe(maxHeight);
    const { content, box } = await frame.evaluate(() => ({
      content: document.documentElement.scrollHeight,
      box: document.documentElement.getBoundingClientRect().height,
    }));
    expect(box).toBe(maxHeight);
    expect(content).toBeGreaterThan(200);
    expect(await last()).toBe(maxHeight);
  },
);
