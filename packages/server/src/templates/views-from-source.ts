// What `#views` is while the package runs from its sources; what is published has the same functions
// over texts that `scripts/build.mjs` made, and no bundler.

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { type BuildOptions, buildSync } from "esbuild";
import { type SharedImports, sharedImports } from "./shared-imports.ts";

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
  return once(`view ${name}`, () =>
    bundle(
      `import { block } from "./${name}/index.tsx";
      import { runBlock } from "./shell/run-block.tsx";
      runBlock(block);`,
      { format: "iife", inject: [PREACT] },
    ),
  );
}

/**
 * Bundles what all blocks of a page share: Preact, the shell and the page itself. The script declares
 * `page`, which blocks are added to and which then runs.
 */
export function pageSource(): ViewText {
  return once("page", () =>
    bundle(
      `import { share } from "./page/page.tsx"; ${shared().code}
      export { define, run } from "./page/page.tsx";`,
      { format: "iife", globalName: "page", inject: [PREACT] },
    ),
  );
}

/** Bundles a block for a page, without what the page shares. Its styles only apply inside the block. */
export function blockSource(name: string): ViewText {
  return once(`block ${name}`, () => {
    const { script, style } = bundlePart(
      `import { block } from "./${name}/index.tsx"; add(block);`,
    );
    return { script, style: scoped(style, `.is-${name}`) };
  });
}

/** Bundles what a page needs to validate a document that arrives at run time. */
export function documentSource(): ViewText {
  return once("document", () =>
    bundlePart('import { readDocument } from "./page/document.ts"; addReader(readDocument);'),
  );
}

function once(key: string, make: () => ViewText): ViewText {
  let text = built.get(key);
  if (!text) {
    text = make();
    built.set(key, text);
  }
  return text;
}

function bundle(contents: string, options: BuildOptions): ViewText {
  const { outputFiles = [] } = buildSync({
    stdin: { contents, resolveDir: VIEWS },
    outdir: VIEWS,
    bundle: true,
    minify: true,
    write: false,
    target: "es2022",
    // Replaces the settings of the tsconfig, which are for the compiler alone.
    tsconfigRaw: { compilerOptions: { jsx: "react", jsxFactory: "h", verbatimModuleSyntax: true } },
    // Calls of `h` are shorter than those of the automatic runtime, and each template counts its bytes.
    jsxFragment: "Fragment",
    conditions: ["@vitrine/source", "module", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
    ...options,
  });
  const textOf = (ending: string): string =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? "";
  return { script: closed(textOf(".js")), style: closed(textOf(".css")) };
}

function bundlePart(contents: string): ViewText {
  const { script, style } = bundle(contents, { format: "cjs", external: shared().paths });
  return { script: `page.define(function(add,addReader,require,h,Fragment){${script}})`, style };
}

let imports: SharedImports | undefined;

function shared(): SharedImports {
  imports ??= sharedImports(VIEWS, fileURLToPath(new URL("../../src/templates/", import.meta.url)));
  return imports;
}

/** Minified rules nested below a class. Animations can't be nested, so they stay outside. */
function scoped(style: string, root: string): string {
  const frames: string[] = [];
  const rules = style.replace(/@keyframes [^{]+\{(?:[^{}]*\{[^{}]*\})*\}/g, (found) => {
    frames.push(found);
    return "";
  });
  // The direction is the document's, outside of every block.
  const turned = rules.replace(/(\[dir="?rtl"?\]) /g, "$1 & ");
  return turned ? `${root}{${turned}}${frames.join("")}` : "";
}

/** Between tags these would end the element or hide its end; no escape is right in all code. */
function closed(text: string): string {
  const hazard = /<\/(script|style)|<!--/i.exec(text);
  if (hazard) throw new Error(`A View contains "${hazard[0]}" and cannot be inlined.`);
  return text;
}
