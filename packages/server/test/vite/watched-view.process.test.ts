// Views that are built again at each change, while somebody waits: most of what a build reads it has read
// before, and what it refuses it refuses all the same.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { vitrineViews, watchViews } from "../../src/vite/index.ts";
import { ScriptMemory } from "../../src/vite/script-scan.ts";
import { writeProject } from "./view-build.ts";
import { PAGE, watchView } from "./view-watch.ts";

vi.setConfig({ testTimeout: 60_000 });
afterEach(() => vi.unstubAllEnvs());

describe("a View that is watched", () => {
  test("is refused when an edit breaks it, and the last page stays until it is fixed", async () => {
    await using view = await watchView({
      "views/v/main.js": 'import { words } from "./words.js"; document.title = words;',
      "views/v/words.js": 'export const words = "first";',
    });
    await view.until(/^built$/);
    const first = await view.html();
    expect(first).toContain("first");
    await view.write("views/v/words.js", 'export const words = eval("1");');
    await view.until(/The view "v" runs text as code \(eval\) in views\/v\/words\.js/);
    expect(await view.html()).toBe(first);
    await view.write(
      "views/v/words.js",
      'export { x as words } from "https://esm.example.com/x.js";',
    );
    await view.until(/still imports https:\/\/esm\.example\.com\/x\.js/);
    expect(await view.html()).toBe(first);
    await view.write("views/v/words.js", 'export const words = "second";');
    await view.until(/^built$/);
    expect(await view.html()).toContain("second");
  });

  test("may load a part of itself later, and its report has the origins of that part", async () => {
    await using view = await watchView({
      "views/v/main.js": 'document.onclick = async () => (await import("./later.js")).go();',
      "views/v/later.js": 'export const go = () => fetch("https://api.example.com/x");',
    });
    await view.until(/^built$/);
    expect(view.reports.at(-1)?.csp).toEqual({ connectDomains: ["https://api.example.com"] });
    await view.write("views/v/later.js", 'export const go = () => fetch("https://b.example.com");');
    await view.until(/^built$/);
    expect(view.reports.at(-1)?.csp).toEqual({ connectDomains: ["https://b.example.com"] });
    expect(view.reports.at(-1)?.weight.gzip).toBeGreaterThan(100);
  });

  test("is scanned with scripts of its page that aren't modules", async () => {
    await using view = await watchView({
      "views/v/index.html": PAGE.replace("</html>", "<script>eval('1')</script></html>"),
      "views/v/main.js": "document.title = 1;",
    });
    await view.until(/runs text as code \(eval\) in a script of the page/);
  });
});

test("several Views are watched side by side, from the moment that each of them is built", async () => {
  vi.stubEnv("NODE_ENV", "development");
  const page = (title: string): string => PAGE.replace("<title>v", `<title>${title}`);
  await using project = await writeProject({
    "views/one/index.html": page("one"),
    "views/one/main.js": "document.title = 'first';",
    "views/two/index.html": page("two"),
    "views/two/main.js": "eval('1');",
  });
  const file = (name: string): string => join(project.root, name);
  const html = async (name: string): Promise<string> =>
    readFile(file(`dist/ui/${name}/index.html`), "utf8").catch(() => "");
  let isReady = false;
  const { root } = project;
  const plugins = [vitrineViews()];
  const watching = watchViews({ root, configFile: false, logLevel: "silent", plugins });
  void watching.then(() => {
    isReady = true;
  });
  await expect.poll(() => html("one"), { timeout: 30_000 }).toContain("first");
  expect(isReady).toBe(false);
  await writeFile(file("views/two/main.js"), "document.title = 'second';");
  const views = await watching;
  expect(await html("two")).toContain("second");
  await writeFile(file("views/one/main.js"), "document.title = 'third';");
  await expect.poll(() => html("one"), { timeout: 30_000 }).toContain("third");
  expect(await html("two")).toContain("second");
  await views.close();
  await views.close();
});

test("a script is read once as long as each page has it, and forgotten when one has not", () => {
  const parse = vi.fn((_code: string) => ({ type: "Program", body: [] }));
  const memory = new ScriptMemory();
  memory.scan("a", parse);
  memory.scan("b", parse);
  memory.turn();
  memory.scan("a", parse);
  memory.scan("a", parse);
  expect(parse.mock.calls).toEqual([["a"], ["b"]]);
  memory.turn();
  memory.scan("a", parse);
  memory.scan("b", parse);
  expect(parse.mock.calls).toEqual([["a"], ["b"], ["b"]]);
});
