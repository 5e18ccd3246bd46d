// `#page` while the package runs from its sources; the published package has the same constant, made by
// `scripts/build.mjs`, and no bundler.

import { fileURLToPath } from "node:url";
import { build } from "esbuild";

// The extension of this very file: the build runs what tsc compiled.
const ENTRY = import.meta.url.endsWith(".ts") ? "./test-host.ts" : "./test-host.js";

/** The script of the page with the host. */
export async function pageScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(ENTRY, import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    conditions: ["@vitrine/source", "module", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    legalComments: "none",
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
