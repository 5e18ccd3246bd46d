import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { noteBuild } from "../../../server/src/vite/build-errors.ts";
import { watchBuildErrors } from "../../src/dev/build-errors.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-builds-"));
  await mkdir(join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), "{}");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("passes on the error of a build, as plain text, until the next good build", async () => {
  const seen: string[][] = [];
  const watch = await watchBuildErrors(folder, (errors) => seen.push(errors));
  expect(seen).toEqual([[]]);
  noteBuild(folder, "view_0", new Error("\u001b[31mmain.ts:1:7\u001b[0m const const;"));
  await expect.poll(() => seen.at(-1), { timeout: 5_000 }).toEqual(["main.ts:1:7 const const;"]);
  noteBuild(folder, "view_0");
  await expect.poll(() => seen.at(-1), { timeout: 5_000 }).toEqual([]);
  await watch?.close();
});

test("watches nothing in a folder without packages", async () => {
  await rm(join(folder, "node_modules"), { recursive: true });
  expect(await watchBuildErrors(folder, () => {})).toBeUndefined();
});
