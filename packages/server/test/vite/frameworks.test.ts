import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scanTags } from "../../src/vite/html-scan.ts";
import { type BuiltFolder, buildFolder, writeProject } from "./view-build.ts";

let built: BuiltFolder;
beforeAll(async () => {
  built = await buildFolder();
}, 120_000);
afterAll(() => built?.remove());

const NAMES = ["react", "svelte", "vanilla", "vue"];

describe.each(NAMES)("a View written with %s", (name) => {
  test("becomes one document without other files", async () => {
    const files = await readdir(join(built.folder, "ui", name));
    expect(files.filter((file) => file !== "ui.meta.json")).toEqual(["index.html"]);
    const html = await built.html(name);
    expect(html).toMatch(/^<!doctype html>/i);
    const tags = scanTags(html);
    expect(tags.filter(({ attributes }) => attributes.has("src"))).toEqual([]);
    expect(tags.filter((tag) => tag.name === "link")).toEqual([]);
    expect(tags.filter((tag) => tag.name === "script")).toHaveLength(1);
  });

  test("keeps its script and its style in their elements, whatever stands in a string", async () => {
    const html = await built.html(name);
    // `b` would be the element that the style sheet spells out.
    const names = scanTags(html).map((tag) => tag.name);
    expect(names).not.toContain("b");
    expect(names.filter((tag) => tag === "style").length).toBeGreaterThan(0);
    expect(html.match(/<\/script/gi)).toHaveLength(1);
    expect(html.match(/<!--/g)).toBeNull();
  });

  test("runs no text as code and needs no origin", async () => {
    const report = built.reports.find((found) => found.name === name);
    expect(report?.warnings).toEqual([]);
    expect(report?.csp).toEqual({});
    expect(report?.file).toBe(join(built.folder, "ui", name, "index.html"));
    expect(report?.weight.raw).toBe(Buffer.byteLength(await built.html(name)));
  });
});

test("leaves light-dark() to the browser, so that a View follows its Host's theme", async () => {
  await using project = await writeProject({
    "views/look/index.html":
      "<!doctype html><html lang=en><title>Look</title><link rel=stylesheet href=look.css><p>Look</p>",
    "views/look/look.css":
      ":root { color-scheme: light dark } p { color: light-dark(#123456, #fedcba) }",
  });
  const look = await buildFolder({}, project.root);
  expect(await look.html("look")).toMatch(/light-dark\(\s*#123456/);
  await look.remove();
});

test("names what a View weighs, the largest module first", () => {
  const { modules, weight } = built.reports.find(({ name }) => name === "react") ?? {};
  expect(modules?.[0]?.module).toMatch(/^react-dom\//);
  expect(weight?.gzip).toBeGreaterThan(50_000);
  expect(weight?.gzip).toBeLessThan(90_000);
});

test("copies a ui.meta.json next to the entry, as discovery reads it", async () => {
  const file = join(built.folder, "ui", "svelte", "ui.meta.json");
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ description: "Weather" });
});
