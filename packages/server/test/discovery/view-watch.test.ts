import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { type ViewsChange, watchViews } from "../../src/discovery/index.ts";
import { page, type ViewRoot, viewRoot } from "./view-root.ts";

const later = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Watches, and hands over each change once. */
function watching(
  files: ViewRoot,
): { next(): Promise<ViewsChange>; changes: ViewsChange[] } & Disposable {
  const changes: ViewsChange[] = [];
  const watch = watchViews(files.root, { onChange: (change) => changes.push(change) });
  return {
    changes,
    next: () =>
      vi.waitFor(() => changes.shift() ?? Promise.reject(new Error("no change")), {
        timeout: 5_000,
        interval: 10,
      }),
    [Symbol.dispose]: () => watch.close(),
  };
}

const htmlOf = ({ views }: ViewsChange, id: string): string | undefined =>
  views.find((view) => view.id === id)?.source?.html();

test("a View that is rewritten is reported once, with its new page", async () => {
  await using files = await viewRoot({
    "ui/a/index.html": page("1"),
    "ui/b/index.html": page("b"),
  });
  using watch = watching(files);
  await files.write({ "ui/a/index.html": page("2") });
  const change = await watch.next();
  expect(change.changed).toEqual(["a"]);
  expect(htmlOf(change, "a")).toBe(page("2"));
  await later(400);
  expect(watch.changes).toEqual([]);
});

test("an editor that saves by renaming is followed, as often as it does", async () => {
  await using files = await viewRoot({ "tools/a/ui/index.html": page("0") });
  using watch = watching(files);
  for (const round of ["1", "2", "3"]) {
    const path = join(files.root, "tools/a/ui/index.html");
    await rename(path, `${path}~`);
    await later(20);
    await writeFile(`${path}.new`, page(round));
    await rename(`${path}.new`, path);
    await rm(`${path}~`);
    const change = await watch.next();
    expect(change.changed).toEqual(["a"]);
    expect(htmlOf(change, "a")).toBe(page(round));
  }
});

test("a build that empties the folder first is a change, and no loss", async () => {
  await using files = await viewRoot({ "ui/a/index.html": page("1") });
  using watch = watching(files);
  await rm(join(files.root, "ui/a"), { recursive: true });
  await later(200);
  await files.write({ "ui/a/index.html": page("2") });
  const change = await watch.next();
  expect(change).toMatchObject({ changed: ["a"] });
  expect(htmlOf(change, "a")).toBe(page("2"));
  // The folder is another one of the same name.
  await files.write({ "ui/a/index.html": page("3") });
  expect(htmlOf(await watch.next(), "a")).toBe(page("3"));
});

test("Views that come and go are reported, folders made from nothing included", async () => {
  await using files = await viewRoot();
  using watch = watching(files);
  await mkdir(join(files.root, "tools/new/ui"), { recursive: true });
  await later(150);
  await files.write({ "tools/new/ui/ui.meta.json": { entrypoint: "dist/x.html" } });
  expect((await watch.next()).views).toMatchObject([
    { id: "new", problems: [{ code: "no-page" }] },
  ]);
  await files.write({ "tools/new/ui/dist/x.html": page("x") });
  expect(htmlOf(await watch.next(), "new")).toBe(page("x"));
  await files.write({ "tools/new/ui/dist/x.html": page("y") });
  expect(htmlOf(await watch.next(), "new")).toBe(page("y"));
  await files.write({ "tools/new/tool.meta.json": { name: "renamed" } });
  expect((await watch.next()).changed.toSorted()).toEqual(["new", "renamed"]);
  await rm(join(files.root, "tools"), { recursive: true });
  expect(await watch.next()).toEqual({ views: [], changed: ["renamed"] });
});

test("what changes nothing is not reported, and nothing is after close", async () => {
  await using files = await viewRoot({ "ui/a/index.html": page("1") });
  using watch = watching(files);
  await files.write({ "ui/a/index.html": page("1"), "ui/a/notes.txt": "x" });
  await later(500);
  expect(watch.changes).toEqual([]);
  watch[Symbol.dispose]();
  await files.write({ "ui/a/index.html": page("2") });
  await later(500);
  expect(watch.changes).toEqual([]);
});
