import type { Diagnostic } from "@vitrine/host";
import { expect, test } from "vitest";
import { explain } from "../../pages/dev/explanation.ts";

const refused = (detail: string): Diagnostic => ({
  level: "warning",
  stage: "shown",
  code: "refused",
  elapsed: 5,
  server: "tasks",
  detail,
});

test("a misspelt tool is called that, with the name that was meant", () => {
  const detail = 'The server lists no tool named "ad-task"; see tools/list.';
  expect(explain(refused(detail), ["add-task", "show-tasks"])).toMatchObject({
    title: "The view calls a tool that doesn't exist.",
    cause: 'The server has no tool "ad-task".',
    remedy: 'Did you mean "add-task"? Correct the name in the view.',
  });
  expect(explain(refused(detail)).remedy).toContain("add the tool to the server");
});

test("a call that isn't allowed keeps its heading", () => {
  expect(explain(refused("The user declined.")).title).toMatch(/not allowed/);
});
