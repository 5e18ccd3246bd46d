import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { type PageBlock, page } from "../../src/templates/index.ts";
import { DASHBOARD, DASHBOARD_DATA } from "./dashboard.ts";
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
    console.info(`known document ${known} bytes, document at run time ${atRunTime} bytes`);
    expect(known).toBeLessThanOrEqual(45_000);
    expect(known).toBeLessThan(atRunTime);
  });

  test("shows its data, and axe finds nothing", async () => {
    const shown = await stage.show(dashboard, { result });
    for (const theme of ["light", "dark"] as const) {
      await shown.setTheme(theme);
      await expect.poll(() => shown.text()).toMatch(/€128,400[\s\S]*12\.4%[\s\S]*62%/);
      expect(await shown.violations()).toEqual([]);
      await shown.shoot(`page-dashboard-${theme}`, [900, 360]);
    }
    expect(shown.errors).toEqual([]);
  });
});
