import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { checkServer } from "../../src/check/check.ts";
import { readTarget } from "../../src/target/target.ts";
import {
  boardPage,
  closePages,
  type DevProject,
  makeProject,
  openDevStage,
  sharedBrowser,
} from "./dev-project.ts";

vi.setConfig({ hookTimeout: 90_000, testTimeout: 120_000 });

let project: DevProject;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(async () => {
  await closePages();
  await project?.remove();
});

test("the section Check shows a picture of each state, and the findings", async () => {
  const words = ["node", `${project.folder}/server.mjs`];
  await project.write("board.html", await boardPage("<img src=x onerror=alert(1)>"));
  const stage = await openDevStage(words, {
    check: async (onPicture) =>
      checkServer(readTarget(words), {
        browser: await sharedBrowser(),
        tools: ["board"],
        runs: ["normal", "narrow"],
        onPicture,
      }),
  });
  onTestFinished(() => stage.close());
  const { page } = stage;
  await page.getByRole("tab", { name: "Check" }).click();
  await page.getByRole("button", { name: "Check", exact: true }).click();
  const sheet = page.locator(".contact-sheet");
  await sheet.getByRole("button", { name: "Enlarge: 360 px wide" }).waitFor({ timeout: 60_000 });
  await page.getByRole("button", { name: "Check again" }).waitFor({ timeout: 60_000 });
  expect(await page.locator(".check-section > header").textContent()).toMatch(/1 of 1 views shown/);
  await sheet.getByRole("button", { name: "Enlarge: The normal run" }).click();
  const picture = page.getByRole("dialog", { name: "The normal run" }).getByRole("img");
  expect(
    await picture.evaluate(async (image) => {
      await (image as HTMLImageElement).decode();
      return (image as HTMLImageElement).naturalWidth;
    }),
  ).toBeGreaterThan(400);
});

test("shows why a check could not run", async () => {
  const stage = await openDevStage(["node", `${project.folder}/server.mjs`], {
    check: async () => {
      throw new Error("No Chromium, Chrome or Edge found.");
    },
  });
  onTestFinished(() => stage.close());
  const { page } = stage;
  await page.getByRole("tab", { name: "Check" }).click();
  await page.getByRole("button", { name: "Check", exact: true }).click();
  expect(await page.locator(".check-section").getByRole("alert").textContent()).toMatch(
    /No Chromium/,
  );
});
