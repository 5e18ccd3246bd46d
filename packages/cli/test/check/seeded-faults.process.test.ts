import { expect, test } from "vitest";
import { BROKEN_APPS } from "./broken-apps/broken-apps.ts";
import { SERVER_FAULTS } from "./broken-apps/server-faults.ts";
import { checkBrokenApp, firstLines } from "./seeded-faults.ts";

test("there are at least forty broken apps, each with a name and a fault of its own", () => {
  expect(BROKEN_APPS.length).toBeGreaterThanOrEqual(40);
  expect(new Set(BROKEN_APPS.map(({ name }) => name)).size).toBe(BROKEN_APPS.length);
});

test.concurrent.for(SERVER_FAULTS)(
  "$name: cause and remedy stand in the first three lines",
  {
    timeout: 60_000,
  },
  async (app, { expect }) => {
    const lines = firstLines(await checkBrokenApp(app));
    expect(lines).toMatch(app.cause);
    expect(lines).toMatch(app.remedy);
  },
);

test("an app without a fault is not given one", { timeout: 60_000 }, async () => {
  const report = await checkBrokenApp({ name: "healthy" });
  expect(report.findings).toEqual([]);
  expect(firstLines(report)).toMatch(/^Healthy: 1 tool with 1 view, source checked only/);
});
