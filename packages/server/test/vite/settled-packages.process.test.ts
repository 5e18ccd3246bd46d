// Packages that are built once while a View is watched, and what must not be different because of it.

import { createContext, runInContext } from "node:vm";
import type { Plugin } from "vite";
import { afterEach, expect, test, vi } from "vitest";
import { scanTags } from "../../src/vite/html-scan.ts";
import { type WatchedView, watchView } from "./view-watch.ts";

vi.setConfig({ testTimeout: 60_000 });
afterEach(() => vi.unstubAllEnvs());

// In CommonJS, and it counts how often it is run in a page.
const OLD = {
  "node_modules/old/package.json": '{ "name": "old", "version": "1.0.0", "main": "index.js" }',
  "node_modules/old/index.js":
    'exports.runs = window.runs = (window.runs ?? 0) + 1; require("./inner.js")(exports);',
  "node_modules/old/inner.js": 'module.exports = (old) => { old.word = "old </script> word"; };',
};
// A module that imports it, as React's companions import React.
const YOUNG = {
  "node_modules/young/package.json":
    '{ "name": "young", "version": "1.0.0", "type": "module", "main": "index.js" }',
  "node_modules/young/index.js":
    'import old, { word } from "old"; export const again = word + ", " + old.runs;',
};

const PAGE =
  '<!doctype html><html><head><meta charset="utf-8"><script type="module" src="./main.js"></script></head></html>';
const main = (edition: number, lines = ""): string =>
  `import { word } from "old"; import { again } from "young"; ${lines} window.said = [word, again, ${edition}];`;

/** The scripts of the page, run as a browser runs them. */
async function run(view: WatchedView): Promise<{ scripts: number; said: unknown; runs: unknown }> {
  const scripts = scanTags(await view.html()).filter(({ name }) => name === "script");
  const window: { said?: unknown; runs?: unknown } = {};
  const page = createContext({ window });
  for (const { text = "" } of scripts) runInContext(text, page);
  return { scripts: scripts.length, said: window.said, runs: window.runs };
}

let edition = 0;

/** Edits the View until its page has so many scripts: packages are built while nobody waits. */
async function editUntil(view: WatchedView, count: number, lines?: string): Promise<void> {
  await expect
    .poll(
      async () => {
        await view.write("views/v/main.js", main(++edition, lines));
        await view.until(/^built$/);
        return (await run(view)).scripts;
      },
      { timeout: 30_000, interval: 200 },
    )
    .toBe(count);
}

test("a CommonJS package becomes a script of its own that runs once, and the View sees no difference", async () => {
  await using view = await watchView({
    ...OLD,
    ...YOUNG,
    "views/v/index.html": PAGE,
    "views/v/main.js": main(0),
  });
  await view.until(/^built$/);
  const first = await run(view);
  expect(first).toMatchObject({
    scripts: 1,
    said: ["old </script> word", "old </script> word, 1", 0],
  });
  await editUntil(view, 2);
  const later = await run(view);
  expect(later).toEqual({
    scripts: 2,
    said: [...(first.said as []).slice(0, 2), edition],
    runs: 1,
  });
  // Browsers search for the encoding of a page in its first kilobyte.
  expect((await view.html()).indexOf('<meta charset="utf-8">')).toBeLessThan(100);
});

test("a package that changed is built again", async () => {
  await using view = await watchView({ ...OLD, ...YOUNG, "views/v/main.js": main(0) });
  await view.until(/^built$/);
  await editUntil(view, 2);
  await view.write(
    "node_modules/old/inner.js",
    'module.exports = (old) => { old.word = "new word"; };',
  );
  await view.until(/^built$/);
  expect(await run(view)).toMatchObject({ said: ["new word", "new word, 1", edition], runs: 1 });
  await editUntil(view, 2);
  expect(await run(view)).toMatchObject({ said: ["new word", "new word, 1", edition], runs: 1 });
});

test("a package that is imported later shares the others with the View", async () => {
  await using view = await watchView({
    ...OLD,
    ...YOUNG,
    "node_modules/late/package.json": '{ "name": "late", "version": "1.0.0", "main": "index.js" }',
    "node_modules/late/index.js": 'exports.late = require("old").runs;',
    "views/v/main.js": main(0),
  });
  await view.until(/^built$/);
  await editUntil(view, 2);
  const lines = 'import { late } from "late"; window.late = late;';
  await view.write("views/v/main.js", main(++edition, lines));
  await view.until(/^built$/);
  expect(await run(view)).toMatchObject({ scripts: 2, runs: 1 });
  await editUntil(view, 2, lines);
  expect(await run(view)).toMatchObject({ scripts: 2, runs: 1 });
});

test("a package in CommonJS that needs a module stays part of the View, which may import that module too", async () => {
  await using view = await watchView({
    ...OLD,
    ...YOUNG,
    "node_modules/old/inner.js":
      'const { mark } = require("marks"); module.exports = (old) => { old.word = mark; };',
    "node_modules/marks/package.json":
      '{ "name": "marks", "version": "1.0.0", "type": "module", "main": "index.js" }',
    "node_modules/marks/index.js":
      "window.marks = (window.marks ?? 0) + 1; export const mark = String(window.marks);",
    "views/v/main.js": main(0, 'import "marks";'),
  });
  await view.until(/^built$/);
  for (let edit = 1; edit <= 4; edit++) {
    await view.write("views/v/main.js", main(edit, 'import "marks";'));
    await view.until(/^built$/);
    expect(await run(view)).toEqual({ scripts: 1, said: ["1", "1, 1", edit], runs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
});

test("a package that a plugin of the author's changes stays part of the View", async () => {
  const plugin: Plugin = {
    name: "patch",
    transform: (code, id) =>
      id.endsWith("old/inner.js") ? code.replace("old </script> word", "patched") : undefined,
  };
  const files = { ...OLD, ...YOUNG, "views/v/main.js": main(0) };
  await using view = await watchView(files, { plugins: [plugin] });
  await view.until(/^built$/);
  for (let edit = 1; edit <= 4; edit++) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    await view.write("views/v/main.js", main(edit));
    await view.until(/^built$/);
    expect(await run(view)).toEqual({ scripts: 1, said: ["patched", "patched, 1", edit], runs: 1 });
  }
});

test("what is built for production is one script, watched or not", async () => {
  await using view = await watchView(
    { ...OLD, ...YOUNG, "views/v/main.js": main(0) },
    { mode: "production" },
  );
  await view.until(/^built$/);
  for (let edit = 1; edit <= 3; edit++) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    await view.write("views/v/main.js", main(edit));
    await view.until(/^built$/);
    expect(await run(view)).toMatchObject({ scripts: 1, runs: 1 });
  }
});
