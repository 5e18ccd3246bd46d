// Runs the view in a real browser, in a host and sandbox as strict as production. The tools have scripted
// answers, so the server doesn't run.

import { mountView } from "@vitrine/testing/vitest";
import { expect, test } from "vitest";
import { tasks } from "../server/app.ts";
import stories from "../views/tasks/tasks.stories.ts";

const list = (...titles: string[]) => ({
  content: [],
  structuredContent: {
    tasks: titles.map((title, at) => ({ id: `${at + 1}`, title, done: false })),
  },
});

test("adds a task", async () => {
  const view = await mountView(tasks, {
    input: {},
    result: list("Call Ana"),
    tools: { "add-task": ({ title }) => list("Call Ana", String(title)) },
  });
  await view.frame.getByLabel("New task").fill("Buy milk");
  await view.frame.getByRole("button", { name: "Add" }).click();
  await view.frame.getByText("Buy milk").waitFor();
  expect(view.calls).toEqual([{ name: "add-task", arguments: { title: "Buy milk" } }]);
});

test.each(stories.stories)("shows the story $name without an error", async (story) => {
  const view = await mountView(tasks, story);
  expect(view.errors).toEqual([]);
});
