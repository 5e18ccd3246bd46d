// `#console` while the package runs from its sources; the published package has the same function over
// files that `scripts/build.mjs` built, and no bundler.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The console's files by their path from the root, including `index.html`. */
export type ConsoleFiles = ReadonlyMap<string, Uint8Array>;

const FOLDER = fileURLToPath(new URL("../../console/", import.meta.url));
let built: Promise<ConsoleFiles> | undefined;

/** Bundles the console, once per process. */
export function consoleFiles(): Promise<ConsoleFiles> {
  built ??= bundle();
  return built;
}

async function bundle(): Promise<ConsoleFiles> {
  const { outputFiles } = await build({
    entryPoints: [`${FOLDER}main.tsx`, `${FOLDER}style/console.css`],
    // Flat names, because both are next to the page.
    entryNames: "[name]",
    outdir: FOLDER,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    // light-dark() stays: its replacement for older browsers ignores the theme switch.
    target: ["es2022", "chrome123", "firefox120", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    conditions: ["@vitrine/source", "module", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
  });
  return new Map([
    ["index.html", await readFile(`${FOLDER}index.html`)],
    ...outputFiles.map(({ path, contents }): [string, Uint8Array] => [
      path.slice(FOLDER.length),
      contents,
    ]),
  ]);
}
