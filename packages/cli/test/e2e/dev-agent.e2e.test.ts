// What the dev page shows of the inside of a view.

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  closePages,
  type DevProject,
  type DevStage,
  makeProject,
  openDevStage,
  viewPage,
} from "./dev-project.ts";

vi.setConfig({ hookTimeout: 90_000, testTimeout: 60_000 });
const SLOW = { timeout: 15_000 };

let project: DevProject;
let stage: DevStage;
beforeAll(async () => {
  project = await makeProject();
  stage = await openDevStage(["node", `${project.folder}/server.mjs`]);
});
afterAll(async () => {
  await stage?.close();
  await closePages();
  await project?.remove();
});

/** Runs the tool "talk" with another page. */
async function show(html: string): Promise<void> {
  await project.write("talk.html", html);
  await stage.page.locator(".tools li button", { hasText: "talk" }).first().click();
  await stage.page.getByRole("button", { name: /^Run/ }).click();
}
const tab = (name: RegExp): Promise<void> => stage.page.getByRole("tab", { name }).click();
const problems = async (): Promise<string> => {
  await tab(/^Problems/);
  return (await stage.page.locator(".problems").textContent()) ?? "";
};

test.each([
  ["an error at the start", 'throw new TypeError("broken start");', "broken start"],
  [
    "an error in a handler",
    'app.ontoolresult = () => { throw new Error("broken handler"); };',
    "broken handler",
  ],
  ["a rejected promise", 'void Promise.reject(new Error("broken promise"));', "broken promise"],
  ["a logged error", 'console.error(new Error("broken and logged"));', "broken and logged"],
])("names the line and the cause of %s", async (_, script, cause) => {
  await show(await viewPage(`\n\n${script}\n`, "<p>Here</p>"));
  await expect.poll(problems, SLOW).toContain(cause);
  const text = await problems();
  expect(text).toMatch(/ui:\/\/[^\s]+:\d+:\d+/);
  expect(text).toMatch(new RegExp(`> +\\d+ \\| .*${cause}`));
  expect(text).not.toContain("No problems");
});

test("gives a reason for a view that connects and shows nothing", async () => {
  await show(await viewPage(""));
  await expect.poll(problems, SLOW).toContain("draws nothing");
});

test("gives a reason for a view that never connects", async () => {
  await show("<!doctype html><p>Here</p><script>const started = 1;</script>");
  await expect.poll(problems, SLOW).toMatch(/Why nothing is visible/);
});

test("shows the console, with the line of each call", async () => {
  await show(await viewPage('console.log("loaded %s", "orders", { count: 2 });', "<p>Here</p>"));
  await tab(/^Logs/);
  await stage.page.locator(".logs .entry", { hasText: 'loaded orders {"count":2}' }).waitFor();
  expect(await stage.page.locator(".logs .where").first().textContent()).toMatch(/:\d+$/);
});

test("reports nothing about a sound view", async () => {
  await show(await viewPage("", "<p>Sound</p>"));
  // The frame of the last view may still be there.
  const text = async (): Promise<string | null> =>
    (await stage.view())
      .locator("body")
      .textContent()
      .catch(() => "");
  await expect.poll(text, SLOW).toContain("Sound");
  await stage.page.waitForTimeout(1_500);
  expect(await problems()).toContain("No problems found");
});

test("a view that floods the page with forged reports only adds text, and not much of it", async () => {
  await show(
    await viewPage(
      `const mark = "\\u2063vitrine-agent\\u2063";
const html = "<img src=x onerror='window.owned = 1'><script>window.owned = 1</" + "script>";
for (let at = 0; at < 5000; at++) {
  const report = { page: "1", kind: "error", message: html + at, stack: html, line: at, column: 1 };
  for (const page of ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]) top.postMessage(mark + JSON.stringify({ ...report, page }), "*");
  top.postMessage(mark + JSON.stringify({ kind: "console", level: "error", text: html.repeat(500) }), "*");
}`,
      "<p>Here</p>",
    ),
  );
  await expect.poll(problems, SLOW).toContain("<img src=x");
  const { page } = stage;
  expect(await page.locator(".problems img, .problems script").count()).toBe(0);
  expect(await page.locator(".problems article").count()).toBeLessThanOrEqual(60);
  expect(await page.evaluate("window.owned")).toBeUndefined();
  // Nothing of it reaches the model.
  expect(await page.evaluate("document.querySelector('.conversation')?.textContent ?? ''")).toBe(
    "",
  );
  await tab(/^Model/);
  expect(await page.locator(".conversation").textContent()).not.toContain("<img");
  await show(await viewPage("", "<p>Sound again</p>"));
  await (await stage.view()).getByText("Sound again").waitFor();
  await expect.poll(problems, SLOW).not.toContain("<img");
});
