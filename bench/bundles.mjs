// Builds what is measured: by esbuild, and by Vite with its default settings. Nothing is written.

import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build as buildWithEsbuild } from "esbuild";
import { build as buildWithVite, defaultClientConditions } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

const here = fileURLToPath(new URL(".", import.meta.url));
const views = fileURLToPath(new URL("views/", import.meta.url));
// Our packages from source, so that no figure is of a stale build.
const SOURCE = "@vitrine/source";

/** The code that a bundle of some imports comes to, minified. */
export async function bundle(code, options) {
  const { outputFiles } = await runEsbuild(code, options);
  return outputFiles[0].text;
}

/** The names that a bundle of some exports would export. */
export async function listExports(code, options) {
  const { metafile } = await runEsbuild(code, options);
  return Object.values(metafile.outputs)[0].exports;
}

/** The files of a bundle by name: those that load at first, its entry the first of them, and the rest. */
export async function bundleChunks(code, options) {
  const { outputFiles, metafile } = await runEsbuild(code, { ...options, splitting: true });
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]),
  );
  const files = outputFiles.map(({ path, text }) => {
    const name = basename(path);
    const { entryPoint, imports } = outputs.get(name);
    const statics = imports.filter(({ kind }) => kind === "import-statement");
    const isEntry = entryPoint === "<stdin>";
    return { name, text, isEntry, imports: statics.map((chunk) => basename(chunk.path)) };
  });
  return divide(files, options);
}

/** The same by Vite, which leaves out of the first files what a barrel only passes on. */
export async function bundleChunksWithVite(code, { external = [], soon } = {}) {
  // A file that does not exist, where ours would be.
  const entry = `${here}entry-of-the-bench.ts`;
  const outputs = await runVite({
    plugins: [
      {
        name: "entry-of-the-bench",
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? code : null),
      },
    ],
    build: {
      write: false,
      lib: { entry, formats: ["es"], fileName: "entry" },
      // Libraries keep their white space otherwise.
      rolldownOptions: { external, output: { minify: true } },
    },
  });
  return divide(
    outputs.map(({ fileName, code, isEntry, imports }) => ({
      name: fileName,
      text: code,
      isEntry,
      imports,
    })),
    { soon },
  );
}

/**
 * Divides files into the entry with all that it imports, and what dynamic imports load when wanted;
 * `soon` names some of those that count for the first.
 */
function divide(files, { soon = [] } = {}) {
  const later = new Map(files.map(({ name, text }) => [name, text]));
  const first = new Map();
  const open = files.filter(
    ({ isEntry, name }) => isEntry || soon.some((module) => name.startsWith(`${module}-`)),
  );
  for (const { name, text, imports } of open) {
    if (!later.delete(name)) continue;
    first.set(name, text);
    open.push(...files.filter((file) => imports.includes(file.name)));
  }
  return { first, later };
}

function runEsbuild(code, { format = "esm", external = [], splitting = false, plugins = [] } = {}) {
  return buildWithEsbuild({
    stdin: { contents: code, resolveDir: here, loader: "ts" },
    bundle: true,
    minify: true,
    format,
    splitting,
    // Nothing is written: it only names the files.
    outdir: here,
    target: "es2022",
    conditions: [SOURCE],
    external,
    plugins,
    write: false,
    metafile: true,
    logLevel: "warning",
  });
}

/** One HTML file with everything in it, as View authors ship it; from the Views' folder or another. */
export async function bundlePage(name, folder = "views/") {
  const root = fileURLToPath(new URL(folder, import.meta.url));
  const [{ source }] = await runVite({
    root,
    plugins: [viteSingleFile()],
    build: { write: false, rolldownOptions: { input: `${root}${name}.html` } },
  });
  return String(source);
}

/** A View's script as a classic one, so that marks can stand before and after it. */
export async function bundleScript(name, globalName) {
  const [{ code }] = await runVite({
    build: {
      write: false,
      lib: { entry: `${views}${name}.ts`, formats: ["iife"], name: globalName },
    },
  });
  return code;
}

async function runVite(config) {
  const built = await buildWithVite({
    root: views,
    configFile: false,
    logLevel: "error",
    resolve: { conditions: [SOURCE, ...defaultClientConditions] },
    ...config,
  });
  return [built].flat()[0].output;
}

/** What crosses the network: bytes, and bytes at gzip level 9. */
export function weigh(text) {
  return { raw: Buffer.byteLength(text), gzip: gzipSync(text, { level: 9 }).length };
}

/** The same of several files, each compressed by itself. */
export function weighFiles(texts) {
  const weights = [...texts].map(weigh);
  const sum = (key) => weights.reduce((total, weight) => total + weight[key], 0);
  return { raw: sum("raw"), gzip: sum("gzip") };
}
