import { expect, test } from "vitest";
import { nameProblem } from "../../src/create/project-name.ts";

test.each(["weather", "my-app", "a", "x.y_z", "4"])("npm takes %j", (name) => {
  expect(nameProblem(name)).toBeUndefined();
});

test.each([
  ["My App", 'Try "my-app".'],
  ["Grüße", 'Try "gru-e".'],
  [".hidden", 'Try "hidden".'],
  ["_private", 'Try "private".'],
  ["http", 'Try "http-app".'],
  ["node_modules", 'Try "node_modules-app".'],
  ["a/b", 'Try "a-b".'],
  ["", "can't be an npm package name"],
  ["x".repeat(215), "more than 214 characters"],
])("npm refuses %j, and the words say what would do", (name, words) => {
  expect(nameProblem(name)).toContain(words);
});
