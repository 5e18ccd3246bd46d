import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { renderWords } from "../../src/check/report/words.ts";
import { DOCUMENT_FAULTS } from "../check/broken-apps/document-faults.ts";
import { PROTOCOL_FAULTS } from "../check/broken-apps/protocol-faults.ts";
import { checkBrokenApp, firstLines } from "../check/seeded-faults.ts";
import { closePages, sharedBrowser } from "./dev-project.ts";

vi.setConfig({ hookTimeout: 60_000, maxConcurrency: 3 });

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(closePages);

test.concurrent.for([...DOCUMENT_FAULTS, ...PROTOCOL_FAULTS])(
  "$name: cause and remedy stand in the first three lines",
  { timeout: 120_000 },
  async (app, { expect }) => {
    const lines = firstLines(await checkBrokenApp(app, browser));
    expect(lines).toMatch(app.cause);
    expect(lines).toMatch(app.remedy);
  },
);

test("reports a healthy app in one line, with the runs that were tried", {
  timeout: 180_000,
}, async () => {
  const report = await checkBrokenApp(
    {
      name: "healthy",
      runs: [
        "dark",
        "narrow",
        "rtl",
        "late",
        "duplicate",
        "empty",
        "error",
        "cancelled",
        "no-styles",
        "no-tools",
      ],
    },
    browser,
  );
  const words = renderWords(report, { style: (_, text) => text });
  expect(report.findings).toEqual([]);
  expect(words.split("\n")[0]).toMatch(
    /^Healthy: 1 tool with 1 view, shown after [\d.]+ s at most; also tried dark, 360 px wide, .*no serverTools\. Nothing to fix\.$/,
  );
});
