// Builds what is measured: by esbuild, and by Vite with its default settings. Nothing is written.

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

function runEsbuild(code, { format = "esm", external = [] } = {}) {
  return buildWithEsbuild({
    stdin: { contents: code, resolveDir: here, loader: "ts" },
    bundle: true,
    minify: true,
    format,
    target: "es2022",
    conditions: [SOURCE],
    external,
    write: false,
    metafile: true,
    logLevel: "warning",
  });
}

/** One HTML file with everything in it, as View authors ship it. */
export async function bundlePage(name) {
  const [{ source }] = await runVite({
    plugins: [viteSingleFile()],
    build: { write: false, rolldownOptions: { input: `${views}${name}.html` } },
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
