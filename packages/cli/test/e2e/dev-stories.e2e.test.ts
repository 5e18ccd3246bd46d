import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  closePages,
  type DevProject,
  type DevStage,
  makeProject,
  openDevStage,
} from "./dev-project.ts";

vi.setConfig({ hookTimeout: 120_000, testTimeout: 90_000 });

const STORIES = {
  vitrine: "stories",
  stories: [
    {
      name: "Full",
      tool: "board",
      input: { title: "Story" },
      result: { content: [{ type: "text", text: "Three things" }] },
      host: { locale: "de-DE", width: 360 },
    },
    { name: "Waiting", tool: "board", input: { title: "Wait" } },
  ],
};

let project: DevProject;
let stage: DevStage;
beforeAll(async () => {
  project = await makeProject();
  await project.write("board.stories.mjs", `export default ${JSON.stringify(STORIES)};`);
  stage = await openDevStage([process.execPath, `${project.folder}/server.mjs`], {
    folder: project.folder,
  });
});
afterAll(async () => {
  await stage?.close();
  await closePages();
  await project?.remove();
});

const texts = async (): Promise<string> => {
  const views = stage.page.frames().filter((frame) => frame.parentFrame()?.parentFrame());
  const all = await Promise.all(
    views.map((view) =>
      view
        .locator("body")
        .textContent({ timeout: 1_000 })
        .catch(() => ""),
    ),
  );
  return all.join("\n");
};

test("shows stories as a grid of views, follows the file, and opens one in Run", async () => {
  const { page } = stage;
  await page.getByRole("tab", { name: "Stories" }).click();
  const full = page.getByRole("region", { name: "Full" });
  await full.getByRole("figure").first().waitFor();
  expect(await full.getByRole("figure").count()).toBe(2);
  // Both themes of both stories, with the story's own locale.
  await expect.poll(texts, { timeout: 30_000 }).toContain("dark de-DE");
  await expect.poll(texts).toContain("light de-DE");
  await expect.poll(texts).toContain("Three things");
  expect(await texts()).toContain("Wait");

  await page.getByLabel("Compare").selectOption("width");
  await expect.poll(() => full.getByRole("figure").count()).toBe(3);
  await page.getByLabel("Compare").selectOption("profile");
  await full.getByText("Like Claude").waitFor();

  // A file with an error is shown with its line, and the grid comes back when it is fixed.
  await project.write("board.stories.mjs", "\n\nthrow new Error('no stories today');");
  await page.getByText("board.stories.mjs:3: no stories today").waitFor();
  await project.write("board.stories.mjs", `export default ${JSON.stringify(STORIES)};`);
  await page.getByLabel("Compare").selectOption("theme");
  await full.getByRole("button", { name: "Open Full in Run, Dark" }).click();
  const view = await stage.view();
  await view.getByText("Three things").waitFor();
  await view.getByText("dark de-DE").waitFor();
});
