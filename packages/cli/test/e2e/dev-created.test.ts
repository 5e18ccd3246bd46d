// `npm run dev` of a project that was created: what people do all day, so it has to be quick.

import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type CreatedProject, createProject, type RunningProject } from "./created-project.ts";
import { closeBrowser, newestView, openDevPage } from "./dev-project.ts";

vi.setConfig({ hookTimeout: 120_000, testTimeout: 90_000 });

// A busy machine takes longer.
const SLOW = { timeout: 30_000 };

let project: CreatedProject;
let running: RunningProject;
let page: Page;
// Another at each try.
let edition = 0;
beforeAll(async () => {
  project = await createProject("vanilla");
  running = await project.dev();
  page = await openDevPage(running.url);
  await page.locator(".tools li button", { hasText: "show-tasks" }).first().click();
  await page.getByRole("button", { name: /^Run/ }).click();
  await (await newestView(page)).getByText("Make it your own").waitFor();
});
afterAll(async () => {
  await running?.close();
  await closeBrowser();
  await project?.remove();
});

const headed = (heading: string) => (text: string) =>
  text.replace(/<h1>.*<\/h1>/, `<h1>${heading}</h1>`);
/** The View that has this heading, alone in the page. */
const untilHeaded = async (heading: string): Promise<Frame> => {
  await expect
    .poll(async () => (await newestView(page)).locator("h1").textContent(), SLOW)
    .toBe(heading);
  await expect.poll(() => page.locator(".slot").count(), SLOW).toBe(1);
  return newestView(page);
};

test("an edit of the View is seen with its state, also what was set just before, by the same server", async () => {
  const servers = await project.serversStarted();
  const view = await newestView(page);
  const isFiltered = !(await view.getByLabel("Open tasks only").isChecked());
  await page.mouse.move(640, 700, { steps: 8 });
  // Three times and the edit, in one breath: the Host writes the last of it down a moment later.
  for (let click = 0; click < 3; click++) await view.getByLabel("Open tasks only").click();
  await project.edit("views/tasks/index.html", headed(`Edited ${++edition}`));

  const anew = await untilHeaded(`Edited ${edition}`);
  await expect.poll(() => anew.getByLabel("Open tasks only").isChecked(), SLOW).toBe(isFiltered);
  await expect
    .poll(() => anew.getByText("Look at the View").count(), SLOW)
    .toBe(isFiltered ? 0 : 1);
  expect(await project.serversStarted()).toEqual(servers);
  // The one that answers: the first was asked what it speaks, and ended.
  expect(() => process.kill(servers.at(-1) as number, 0)).not.toThrow();
  expect(running.said).toContain("View loaded anew");
  expect(running.said).not.toContain("Server connected anew");
});

test("a build that fails leaves the View and the server as they are, and the next one is shown", async () => {
  const before = await project.serversStarted();
  const from = running.said.length;
  await project.edit("views/tasks/main.ts", (text) => `${text}\nconst const;\n`);
  await running.untilSaid("main.ts", from);
  expect(await (await newestView(page)).locator("h1").textContent()).toMatch(/^Edited|^Mended/);
  await project.edit("views/tasks/main.ts", (text) => text.replace("\nconst const;\n", ""));
  await project.edit("views/tasks/index.html", headed(`Mended ${++edition}`));
  await untilHeaded(`Mended ${edition}`);
  expect(await project.serversStarted()).toEqual(before);
});

test("an edit of the server starts it anew, and what the View then asks is answered by the new one", async () => {
  const before = await project.serversStarted();
  const from = running.said.length;
  const title = `Reborn ${++edition}`;
  await project.edit("server/task-list.ts", (text) =>
    text.replace(/Make it your own|Reborn \d+/, title),
  );
  await running.untilSaid("Server connected anew", from);
  // What it speaks is known by now.
  expect(await project.serversStarted()).toHaveLength(before.length + 1);
  await page.getByRole("button", { name: /^Run/ }).click();
  await (await newestView(page)).getByText(title).waitFor();
});
