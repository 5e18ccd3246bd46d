// `npm run dev` of a created project. Developers use it all day, so it has to be fast.

import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type CreatedProject, createProject, type RunningProject } from "./created-project.ts";
import { closePages, newestView, openDevPage } from "./dev-project.ts";

vi.setConfig({ hookTimeout: 120_000, testTimeout: 90_000 });

// A busy machine takes longer.
const SLOW = { timeout: 30_000 };

let project: CreatedProject;
let running: RunningProject;
let page: Page;
// Each retry uses another number.
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
  await closePages();
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

test("an edit of the view reloads it with its latest state, on the same server", async () => {
  const servers = await project.serversStarted();
  const view = await newestView(page);
  const isFiltered = !(await view.getByLabel("Open tasks only").isChecked());
  await page.mouse.move(640, 700, { steps: 8 });
  // The edit follows the clicks at once, before the host has stored the last state.
  for (let click = 0; click < 3; click++) await view.getByLabel("Open tasks only").click();
  await project.edit("views/tasks/index.html", headed(`Edited ${++edition}`));

  const reloaded = await untilHeaded(`Edited ${edition}`);
  await expect
    .poll(() => reloaded.getByLabel("Open tasks only").isChecked(), SLOW)
    .toBe(isFiltered);
  await expect
    .poll(() => reloaded.getByText("Open the view").count(), SLOW)
    .toBe(isFiltered ? 0 : 1);
  expect(await project.serversStarted()).toEqual(servers);
  // The last one serves requests: the first was only started to detect its protocol version.
  expect(() => process.kill(servers.at(-1) as number, 0)).not.toThrow();
  expect(running.said).toContain("View reloaded");
  expect(running.said).not.toContain("Server reconnected");
});

test("a failed build keeps the view and the server, and the next good build is shown", async () => {
  const before = await project.serversStarted();
  const from = running.said.length;
  await project.edit("views/tasks/main.ts", (text) => `${text}\nconst const;\n`);
  await running.untilSaid("main.ts", from);
  expect(await (await newestView(page)).locator("h1").textContent()).toMatch(/^Edited|^Fixed/);
  const overlay = page.locator(".build-errors");
  await overlay.getByText(/main\.ts:\d+:\d+[\s\S]*const const/).waitFor();
  expect(await page.locator("header .status").textContent()).toBe("Build failed");
  await project.edit("views/tasks/main.ts", (text) => text.replace("\nconst const;\n", ""));
  await project.edit("views/tasks/index.html", headed(`Fixed ${++edition}`));
  await untilHeaded(`Fixed ${edition}`);
  await overlay.waitFor({ state: "detached" });
  expect(await project.serversStarted()).toEqual(before);
});

test("an edit of the server restarts it, and the new one answers the view", async () => {
  const before = await project.serversStarted();
  const from = running.said.length;
  const title = `Reborn ${++edition}`;
  await project.edit("server/task-list.ts", (text) =>
    text.replace(/Make it your own|Reborn \d+/, title),
  );
  await running.untilSaid("Server reconnected", from);
  // Its protocol version is known by now, so only one process starts.
  expect(await project.serversStarted()).toHaveLength(before.length + 1);
  await page.getByRole("button", { name: /^Run/ }).click();
  await (await newestView(page)).getByText(title).waitFor();
});
