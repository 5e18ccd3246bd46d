// Runs the view in a real browser, in a host and sandbox as strict as production. The tools have scripted
// answers, so the server doesn't run.

import { mountView } from "@vitrine/testing/vitest";
import { expect, test } from "vitest";
import { tasks } from "../server/app.ts";
import stories from "../server/tasks.stories.ts";

test.each(stories.stories)("shows the story $name without an error", async (story) => {
  const view = await mountView(tasks, story);
  expect(view.errors).toEqual([]);
});

test("shows its cards", async () => {
  const view = await mountView(tasks, stories.stories[0]);
  await view.frame.getByText("Buy milk").first().waitFor();
});
