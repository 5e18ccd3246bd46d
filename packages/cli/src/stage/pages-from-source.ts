// `#pages` while the package runs from its sources; the published package has the same function over
// files that `scripts/build.mjs` built, and no bundler.

import { fileURLToPath } from "node:url";
import { build } from "vite";

/** The files of a page, by their path from its root, including `index.html`. */
export type PageFiles = ReadonlyMap<string, Uint8Array>;

const PAGES = fileURLToPath(new URL("../../pages/", import.meta.url));
const built = new Map<string, Promise<PageFiles>>();

/** Bundles a page of `pages/`, once per name and process. */
export function pageFiles(name: string): Promise<PageFiles> {
  let files = built.get(name);
  if (!files) {
    files = bundlePage(name);
    built.set(name, files);
  }
  return files;
}

async function bundlePage(name: string): Promise<PageFiles> {
  // Built as published, in any environment: Vite reads NODE_ENV from here, or sets it, and servers
  // that are started later would inherit it.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  try {
    return await bundle(name);
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
}

async function bundle(name: string): Promise<PageFiles> {
  const result = await build({
    root: `${PAGES}${name}`,
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["@vitrine/source", "module", "browser"] },
    build: {
      write: false,
      target: "es2022",
      // With light-dark(): its replacement for older browsers is computed at the root, and a part of the
      // page may have another theme.
      cssTarget: ["chrome123", "firefox120", "safari17.5"],
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
    },
  });
  if (!("output" in result)) throw new Error(`The page ${name} was not built in one go.`);
  return new Map(
    result.output.map((file) => [
      file.fileName,
      Buffer.from(file.type === "chunk" ? file.code : file.source),
    ]),
  );
}
