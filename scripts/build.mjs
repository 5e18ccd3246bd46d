// Builds every package into its own dist: TypeScript for all of it, then for the View the one-file
// script and the same script as text, for the Server the Views of its templates as text, for the tests the script of
// their page as text, for the CLI its pages as files, and for the gateway its console as files.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build as bundle } from "vite";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const VIEW = join(ROOT, "packages/view");
const SERVER = join(ROOT, "packages/server");
const CLI = join(ROOT, "packages/cli");
const GATEWAY = join(ROOT, "packages/gateway");
const TESTING = join(ROOT, "packages/testing");

/** The folders of all packages. */
export async function listPackages() {
  const names = await readdir(join(ROOT, "packages"));
  const folders = names.sort().map((name) => join(ROOT, "packages", name));
  return folders.filter((folder) => existsSync(join(folder, "package.json")));
}

/** The View SDK as one minified classic script that defines `Vitrine`. */
export async function bundleGlobal() {
  // Vite and not esbuild, because its output is 2 % smaller. From the sources, so that the script
  // is the same whatever state the protocol's dist is in.
  const { output } = await bundle({
    root: VIEW,
    configFile: false,
    logLevel: "silent",
    resolve: { conditions: ["@vitrine/source"] },
    build: {
      write: false,
      target: "es2022",
      minify: true,
      rolldownOptions: { input: join(VIEW, "src/global.ts"), output: { format: "iife" } },
    },
  });
  if (output.length !== 1) throw new Error(`One script was expected, not ${output.length}.`);
  const script = output[0].code;
  // Between script tags either would end the script or hide its end, and no escape is right for
  // every place that code can stand in: so the source must not contain them.
  const hazard = /<\/script|<!--/i.exec(script);
  if (hazard) throw new Error(`The script contains "${hazard[0]}" and could not be inlined.`);
  return script;
}

/** A module that exports the script as text, safe to inline in turn. */
export function toInlineModule(script) {
  return `export const script = ${JSON.stringify(script).replaceAll("<", "\\u003c")};\n`;
}

/** A module with every View of the Server's templates, in place of the one that bundles them. */
export async function bundleTemplateViews() {
  // By the very function that tests use; tsc has just compiled it.
  const source = pathToFileURL(join(SERVER, "dist/templates/views-from-source.js"));
  const { blockSource, documentSource, pageSource, viewSource } = await import(source.href);
  const folders = await readdir(join(SERVER, "views"), { withFileTypes: true });
  const names = folders
    .filter((folder) => folder.isDirectory())
    .map(({ name }) => name)
    .filter((name) => existsSync(join(SERVER, "views", name, "index.tsx")))
    .sort();
  const views = names.map((name) => [name, viewSource(name)]);
  // Not a block: it borrows those of others.
  const blocks = names.filter((name) => name !== "result").map((name) => [name, blockSource(name)]);
  return `const views = new Map(${JSON.stringify(views)});
const blocks = new Map(${JSON.stringify(blocks)});
const page = ${JSON.stringify(pageSource())};
const document = ${JSON.stringify(documentSource())};

export const viewSource = (name) => find(views, name);
export const blockSource = (name) => find(blocks, name);
export const pageSource = () => page;
export const documentSource = () => document;

function find(texts, name) {
  const text = texts.get(name);
  if (!text) throw new Error(\`There is no View \${name}.\`);
  return text;
}
`;
}

/** A module with the script of the page for tests, in place of the one that bundles it. */
export async function bundleTestPage() {
  const source = pathToFileURL(join(TESTING, "dist/page/page-from-source.js"));
  const { pageScript } = await import(source.href);
  // From the compiled file next to it.
  const script = await pageScript();
  return `export const pageScript = async () => ${JSON.stringify(script)};\n`;
}

/** Writes the CLI's pages where `dist/stage/built-pages.js` reads them. */
export async function bundlePages() {
  // As above: by the function that tests use.
  const source = pathToFileURL(join(CLI, "dist/stage/pages-from-source.js"));
  const { pageFiles } = await import(source.href);
  const folders = await readdir(join(CLI, "pages"));
  const names = folders.filter((name) => existsSync(join(CLI, "pages", name, "index.html")));
  for (const name of names) {
    for (const [path, bytes] of await pageFiles(name)) {
      const file = join(CLI, "dist/pages", name, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
    }
  }
}

/** Writes the gateway's console where `dist/admin/built-console.js` reads it. */
export async function bundleConsole() {
  const source = pathToFileURL(join(GATEWAY, "dist/admin/console-from-source.js"));
  const { consoleFiles } = await import(source.href);
  await mkdir(join(GATEWAY, "dist/console"), { recursive: true });
  for (const [name, bytes] of await consoleFiles()) {
    await writeFile(join(GATEWAY, "dist/console", name), bytes);
  }
}

/** Builds everything, from nothing. */
export async function build() {
  // tsc leaves the outputs of deleted sources, and they would be published.
  const dists = (await listPackages()).map((folder) => join(folder, "dist"));
  await Promise.all(dists.map((dist) => rm(dist, { recursive: true, force: true })));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  await promisify(execFile)(process.execPath, [tsc, "-b"], { cwd: ROOT }).catch((error) => {
    throw new Error(`tsc -b failed:\n${error.stdout}${error.stderr}`);
  });
  const script = await bundleGlobal();
  await writeFile(join(VIEW, "dist/global.js"), script);
  await writeFile(join(VIEW, "dist/inline.js"), toInlineModule(script));
  await writeFile(join(SERVER, "dist/templates/built-views.js"), await bundleTemplateViews());
  await writeFile(join(TESTING, "dist/page/built-page.js"), await bundleTestPage());
  await bundlePages();
  await bundleConsole();
  // npm makes the programs of installed packages executable, but not those of linked ones.
  await chmod(join(CLI, "dist/main.js"), 0o755);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
