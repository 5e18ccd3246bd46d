import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findStoryFiles, loadStories } from "../../src/stories/story-files.ts";

const MODULES = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
const execArgv = ["--conditions=@vitrine/source", "--experimental-strip-types", "--no-warnings"];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-stories-"));
  await symlink(MODULES, join(folder, "node_modules"));
  await mkdir(join(folder, "views"));
  await mkdir(join(folder, "dist"));
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  await write("dist/built.stories.js", "export default 1;");
  await write(
    "views/a.stories.ts",
    `import { defineStories } from "@vitrine/testing";
console.log("noise");
export default defineStories({ tool: "show", input: { list: "home" as string }, stories: { Empty: { result: { content: [] } } } });`,
  );
  await write(
    "views/b.stories.ts",
    `// The first line.\nconst text: string = undefined as never;\nexport default text.length;`,
  );
  await write("views/c.stories.ts", "export default { stories: [] };");
  await write("views/d.stories.ts", "export default {;");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("finds the files of the author, and no built or installed ones", async () => {
  const files = await findStoryFiles(folder);
  expect(files.map((file) => file.slice(folder.length + 1))).toEqual([
    "views/a.stories.ts",
    "views/b.stories.ts",
    "views/c.stories.ts",
    "views/d.stories.ts",
  ]);
});

test("reads stories, and names the line of a file that fails", async () => {
  const [good, throws, other, broken] = await loadStories(folder, { execArgv });
  expect(good).toEqual({
    file: "views/a.stories.ts",
    stories: [{ name: "Empty", tool: "show", input: { list: "home" }, result: { content: [] } }],
  });
  expect(throws?.error).toEqual({ message: expect.stringMatching(/length/), line: 3 });
  expect(other?.error?.message).toMatch(/defineStories/);
  expect(broken?.error).toEqual({ message: expect.any(String), line: 1 });
});

test("stops a file that doesn't end", async () => {
  const stuck = await mkdtemp(join(tmpdir(), "vitrine-stories-"));
  await writeFile(
    join(stuck, "x.stories.mjs"),
    "await new Promise(() => setInterval(() => {}, 9));",
  );
  const [file] = await loadStories(stuck, { execArgv, timeout: 1_500 });
  expect(file?.error?.message).toMatch(/did not finish/);
  await rm(stuck, { recursive: true });
});
