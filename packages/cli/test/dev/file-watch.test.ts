import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isBelow, isIgnored, isProgram, watchFiles } from "../../src/dev/file-watch.ts";

describe("watched files", () => {
  test("are files that people edit", () => {
    expect(isIgnored("/p", "/p/src/view.html")).toBe(false);
    expect(isIgnored("/p", "/p/dist/view.html")).toBe(false);
    expect(isIgnored("/p", "/p/node_modules/a/index.js")).toBe(true);
    expect(isIgnored("/p", "/p/.git/HEAD")).toBe(true);
    expect(isIgnored("/p", "/p/src/view.html~")).toBe(true);
    expect(isIgnored("/p", "/p/__pycache__/a.pyc")).toBe(true);
    // A project inside such a folder is watched too.
    expect(isIgnored("/node_modules/p", "/node_modules/p/a.ts")).toBe(false);
  });

  test("are program files or files that the program serves", () => {
    expect(["server.mjs", "a.ts", "app.py", "package.json"].every(isProgram)).toBe(true);
    expect(["view.html", "a.css", "b.svg", "c.vue", "d.tsx"].some(isProgram)).toBe(false);
  });

  test("are below a folder of views, not below a folder whose name only starts the same", () => {
    expect(isBelow(["/p/dist"], "/p/dist/ui/tasks/index.html")).toBe(true);
    expect(isBelow(["/p/dist/"], "/p/dist/a.html")).toBe(true);
    expect(isBelow(["/p/view.html"], "/p/view.html")).toBe(true);
    expect(isBelow(["/p/dist"], "/p/dist-old/a.html")).toBe(false);
    expect(isBelow([], "/p/a.html")).toBe(false);
  });

  test("are reported together when several change at once", async () => {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-watch-"));
    await mkdir(join(folder, "node_modules"));
    const batches: string[][] = [];
    const watch = await watchFiles([folder], { onChange: (paths) => batches.push(paths) });
    await writeFile(join(folder, "node_modules", "x.js"), "1");
    await Promise.all(["a.html", "b.html"].map((name) => writeFile(join(folder, name), "1")));
    await expect.poll(() => batches.flat().length, { timeout: 5000 }).toBe(2);
    expect(batches.flat().sort()).toEqual([join(folder, "a.html"), join(folder, "b.html")]);
    await watch.close();
    await rm(folder, { recursive: true });
  });

  test("are reported again when a write has two parts", async () => {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-watch-"));
    const path = join(folder, "view.html");
    const read: string[] = [];
    const watch = await watchFiles([folder], {
      prompt: [folder],
      onChange: () => void readFile(path, "utf8").then((text) => read.push(text)),
    });
    await writeFile(path, "");
    await new Promise((resolve) => setTimeout(resolve, 35));
    await writeFile(path, "whole");
    await expect.poll(() => read.at(-1), { timeout: 5000 }).toBe("whole");
    await watch.close();
    await rm(folder, { recursive: true });
  });
});
