// What `#views` is while the package runs from its sources; what is published has the same function
// over texts that `scripts/build.mjs` made, and no bundler.

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** A View's whole program and its styles, each safe between its tags. */
export interface ViewText {
  script: string;
  style: string;
}

const VIEWS = fileURLToPath(new URL("../../views/", import.meta.url));
const PREACT = createRequire(import.meta.url).resolve("preact");
const built = new Map<string, ViewText>();

/** Bundles a View; once for each name in this process. */
export function viewSource(name: string): ViewText {
  let text = built.get(name);
  if (!text) {
    text = bundleView(name);
    built.set(name, text);
  }
  return text;
}

function bundleView(name: string): ViewText {
  const { outputFiles } = buildSync({
    stdin: {
      contents: `import { block } from "./${name}/index.tsx";
        import { runBlock } from "./shell/run-block.tsx";
        runBlock(block);`,
      resolveDir: VIEWS,
    },
    outdir: VIEWS,
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    // Replaces the settings of the tsconfig, which are for the compiler alone.
    tsconfigRaw: { compilerOptions: { jsx: "react", jsxFactory: "h", verbatimModuleSyntax: true } },
    jsxFragment: "Fragment",
    // Calls of `h` are shorter than those of the automatic runtime, and each template counts its bytes.
    inject: [PREACT],
    conditions: ["@vitrine/source", "module", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
  });
  const textOf = (ending: string): string =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? "";
  return { script: closed(textOf(".js"), name), style: closed(textOf(".css"), name) };
}

/** Between tags these would end the element or hide its end; no escape is right in all code. */
function closed(text: string, name: string): string {
  const hazard = /<\/(script|style)|<!--/i.exec(text);
  if (hazard) throw new Error(`The View ${name} contains "${hazard[0]}" and cannot be inlined.`);
  return text;
}
