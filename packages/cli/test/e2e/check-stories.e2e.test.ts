import type { Story } from "@vitrine/testing";
import { expect, test } from "vitest";
import { checkServer } from "../../src/check/check.ts";
import { readTarget } from "../../src/target/target.ts";
import { makeProject, sharedBrowser, viewPage } from "./dev-project.ts";

test("shows stories as more runs, with their own answers, and names the one that fails", async () => {
  const project = await makeProject();
  await project.write(
    "board.html",
    await viewPage(
      `app.ontoolresult = async ({ structuredContent: data }) => {
  if (!data) return;
  $("count").textContent = data.items.length + " items";
  const { content } = await app.callServerTool({ name: "order", arguments: {} });
  if (content[0].text === "boom") throw new Error("The answer is boom");
};`,
      '<h1>Board</h1><p id="count"></p>',
    ),
  );
  const story = (name: string, data: object, answer: string): Story => ({
    name,
    tool: "board",
    input: { title: "x" },
    result: { content: [], structuredContent: data as Record<string, unknown> },
    tools: { order: { content: [{ type: "text", text: answer }] } },
  });
  const { findings } = await checkServer(
    readTarget([process.execPath, `${project.folder}/server.mjs`]),
    {
      browser: await sharedBrowser(),
      tools: ["board"],
      runs: ["normal"],
      stories: [
        story("Good", { items: [] }, "fine"),
        story("No items", {}, "fine"),
        story("Boom", { items: [] }, "boom"),
        { ...story("Other", {}, "fine"), tool: "order" },
      ],
    },
  );
  const found = findings.filter(({ cause }) => cause.includes("story"));
  expect(found.map(({ code, place }) => [code, place.run])).toEqual([
    ["script-error", "story-No-items"],
    ["script-error", "story-Boom"],
  ]);
  expect(found[1]?.cause).toMatch(/^In the story "Boom": .*The answer is boom/);
  await project.remove();
});
