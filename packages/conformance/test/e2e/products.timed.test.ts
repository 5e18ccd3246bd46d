// The suite against real products: ours, and the official SDK.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConformanceOptions, holdsThroughout, runConformance } from "../../src/index.ts";
import type { Outcome, Verdict } from "../../src/scenario.ts";
import { leaseBrowser } from "../../src/targets/browser.ts";
import { openOfficialStage } from "../self/official-stage.ts";
import { CONSENT, runSelf, TEN_LINES } from "../self/run.ts";
import { buildSdkView } from "../views/build-view.ts";

const ids = (outcomes: Outcome[], ...verdicts: Verdict[]): string[] =>
  outcomes.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);

// A run that is out of time is cancelled: together with its retry neither would finish.
describe("the suite", { timeout: 400_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    const { CHROMIUM: chromium = "/usr/bin/chromium" } = process.env;
    ({ browser } = await leaseBrowser({ chromium }));
  });
  afterAll(() => browser.close());

  async function outcomes(options: ConformanceOptions): Promise<Outcome[]> {
    return (await runConformance(options)).outcomes;
  }

  it("finds nothing in our products, in all four roles and 147 rules", async ({ signal }) => {
    const reports = await runSelf({ browser, signal });
    const all = reports.flatMap((report) => report.outcomes);
    expect(all).toHaveLength(147);
    expect(ids(all, "fail", "error", "warn")).toEqual([]);
    // The server of ten lines requests no domain, so there is none to judge.
    expect(ids(all, "not-run")).toEqual(["SRV-08"]);
    expect(holdsThroughout(reports)).toBe(true);
    expect(all[0]?.note).toContain("2025-11-25 and 2026-07-28");
  });

  it("finds nothing in the view of our server of ten lines", async ({ signal }) => {
    const target = { server: { command: TEN_LINES }, browser };
    expect(ids(await outcomes({ role: "view", target, signal }), "fail", "error")).toEqual([]);
  });

  it("finds in a view of the official SDK what the SDK doesn't check", async ({ signal }) => {
    const target = { html: await buildSdkView("ext-apps-v2"), browser };
    const found = await outcomes({ role: "view", target, signal });
    expect(ids(found, "fail", "error")).toEqual(["VEW-04", "VEW-15", "VEW-16"]);
    expect(ids(found, "warn")).toEqual(["VEW-13", "VEW-20", "VEW-27"]);
  });

  it("finds in a page around the official bridge what the bridge doesn't check", async ({
    signal,
  }) => {
    const stage = await openOfficialStage();
    try {
      const target = { url: stage.host, ...CONSENT, browser, patience: 30_000 };
      const found = await outcomes({ role: "host", target, timeout: 240_000, signal });
      // HST-09 and HST-42 are the bridge's own; it leaves the others to its page.
      expect(ids(found, "fail", "error")).toEqual(["HST-09", "HST-26", "HST-42", "HST-58"]);
      expect(ids(found, "warn")).toEqual(["HST-31", "HST-36", "HST-37", "HST-38", "HST-70"]);
    } finally {
      stage.close();
    }
  });
});
