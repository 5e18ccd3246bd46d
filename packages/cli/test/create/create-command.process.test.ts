import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { TEMPLATES } from "../../src/create/templates.ts";
import { vitrine } from "./program.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-create-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const create = (line: string[], env = {}) =>
  vitrine(["create", ...line], { cwd: folder, env: { npm_config_user_agent: "npm/11", ...env } });

const readJson = async (...path: string[]) =>
  JSON.parse(await readFile(join(folder, ...path), "utf8"));

describe.each(Object.keys(TEMPLATES))("the template %s", (template) => {
  test("becomes a project with its own name, exact versions and the scripts of the README", async () => {
    const name = `app-${template}`;
    const { code, out } = await create([name, "--template", template, "--no-install"]);
    expect(code).toBe(0);
    expect(out.split("\n").slice(-5)).toEqual([
      "Next:",
      `  cd ${name}`,
      "  npm install",
      "  npm run dev",
      "",
    ]);
    const files = await readdir(join(folder, name));
    expect(files).toEqual(expect.arrayContaining([".gitignore", "README.md", "tsconfig.json"]));
    expect(files).not.toContain("_gitignore");
    expect(files).not.toContain("biome.json");
    const project = await readJson(name, "package.json");
    expect(project.name).toBe(name);
    expect(Object.keys(project.scripts)).toEqual(["dev", "build", "start", "check", "test"]);
    expect(await readFile(join(folder, name, "README.md"), "utf8")).toMatch(`# ${name}\n`);
    const versions = { ...project.dependencies, ...project.devDependencies };
    for (const version of Object.values(versions)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(versions.vitrine).toBe(manifest.version);
    expect(versions["@vitrine/server"]).toBe(manifest.version);
  });

  test("is pinned to the versions that this repository is tested with", async () => {
    const own = new URL(`../../templates/${template}/package.json`, import.meta.url);
    const { dependencies, devDependencies } = JSON.parse(await readFile(own, "utf8"));
    const root = new URL("../../../../node_modules/", import.meta.url);
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      // The type checkers of Vue and Svelte are tried in the first minutes alone, with the compiler they need.
      if (name.startsWith("vitrine") || /^(vue-tsc|svelte-check|typescript)$/.test(name)) continue;
      const installed = JSON.parse(await readFile(new URL(`${name}/package.json`, root), "utf8"));
      expect(`${name} ${version}`).toBe(`${name} ${installed.version}`);
    }
  });
});

test("a folder that has something in it is left as it is", async () => {
  await mkdir(join(folder, "taken"));
  await writeFile(join(folder, "taken", "thesis.txt"), "years of work");
  const { code, err } = await create(["taken", "--yes", "--no-install"]);
  expect(code).toBe(2);
  expect(err).toMatch(/taken is not empty: it contains thesis\.txt\. Nothing was written\./);
  expect(await readdir(join(folder, "taken"))).toEqual(["thesis.txt"]);
});

test("reports a file that has the folder's name", async () => {
  await writeFile(join(folder, "file"), "");
  const { code, err } = await create(["file", "--yes", "--no-install"]);
  expect([code, err]).toEqual([2, expect.stringContaining("can't be used as a folder")]);
});

test("a folder in which git was started first is empty enough", async () => {
  await mkdir(join(folder, "versioned", ".git"), { recursive: true });
  const { code } = await create(["versioned", "--yes", "--no-install"]);
  expect(code).toBe(0);
  expect(await readdir(join(folder, "versioned"))).toContain("package.json");
});

test("`.` is the folder one stands in, and then there is no `cd`", async () => {
  const cwd = join(folder, "here");
  await mkdir(cwd);
  const { code, out } = await vitrine(["create", ".", "--yes", "--no-install"], { cwd });
  expect(code).toBe(0);
  expect(out).not.toContain("cd ");
  expect((await readJson("here", "package.json")).name).toBe("here");
});

test("with nobody to ask, the words have the whole line to type", async () => {
  const { code, err } = await create(["shop"]);
  expect(code).toBe(2);
  expect(err).toContain("vitrine create shop --template vanilla");
  expect(await readdir(folder)).not.toContain("shop");
});

test.each([
  [["a", "b", "--yes"], '"b" is too much'],
  [["a", "--template", "angular"], 'Unknown template "angular". Choose from: vanilla, react'],
  [["My App", "--yes"], 'Try "my-app"'],
  [["react", "--template", "react"], `depend on "react", so it can't have the same name`],
  [["a", "--color"], "--color"],
])("%j is refused in words, without a stack", async (line, words) => {
  const { code, err } = await create(line);
  expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  expect(err).not.toMatch(/\n\s+at /);
});

test("the package manager that started it is the one it names", async () => {
  const env = { npm_config_user_agent: "pnpm/9.1.0 npm/? node/v24" };
  const { out } = await create(["by-pnpm", "--yes", "--no-install"], env);
  expect(out).toContain("  pnpm install\n  pnpm run dev");
});

test("a failed install keeps the files, prints the reason and exits with an error", async () => {
  // Nobody listens on that port.
  const env = {
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_fetch_retries: "0",
    // `npm test --silent` passes this on; the install then failed without any output.
    npm_config_loglevel: "silent",
  };
  await rm(join(folder, "offline"), { recursive: true, force: true });
  const { code, out, err } = await create(["offline", "--yes"], env);
  expect(code).toBe(1);
  expect(err).toContain("`npm install` failed");
  expect(err).toContain("ECONNREFUSED");
  expect(out).toContain("  npm install\n  npm run dev");
  expect(await readdir(join(folder, "offline"))).toContain("package.json");
});
