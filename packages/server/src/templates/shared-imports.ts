// The imports that the blocks of a page share: found in their sources, so that the page's own script has
// exactly these and nothing is bundled twice. Only used while views are bundled.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** What a page provides to its blocks: the code of the module, and the paths that blocks import it by. */
export interface SharedImports {
  /** Source text that shares every module. */
  code: string;
  paths: string[];
}

const SHARED =
  /^(preact(\/hooks)?|\.\.\/shell\/.*|(.*\/)?(plain-data|key-label|data-table-rows)\.ts)$/;
const NOT_BLOCKS = new Set(["page", "result", "shell"]);

/** Collects the shared imports of all blocks below `views`, and of the data readers in `templates`. */
export function sharedImports(views: string, templates: string): SharedImports {
  const blocks = readdirSync(views, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NOT_BLOCKS.has(entry.name))
    .map(({ name }) => join(views, name));
  const found = new Map<string, { path: string; file: string; names: Set<string> }>();
  for (const folder of [...blocks, templates]) {
    for (const name of readdirSync(folder).filter((file) => /\.tsx?$/.test(file))) {
      for (const one of importsOf(readFileSync(join(folder, name), "utf8"))) {
        const isPackage = !one.path.startsWith(".");
        const file = isPackage ? one.path : resolve(folder, one.path);
        const key = `${one.path} ${file}`;
        const entry = found.get(key) ?? { path: one.path, file, names: new Set() };
        for (const imported of one.names) entry.names.add(imported);
        found.set(key, entry);
      }
    }
  }
  const all = [...found.values()].filter(({ names }) => names.size > 0);
  const code = all.map(({ path, file, names }, at) => {
    const list = [...names].sort();
    const imported = list.map((name) => `${name} as ${name}${at}`).join(",");
    const shared = list.map((name) => `${name}:${name}${at}`).join(",");
    return `import {${imported}} from ${JSON.stringify(file)}; share("${path}",{${shared}});`;
  });
  return { code: code.join("\n"), paths: [...new Set(all.map(({ path }) => path))] };
}

/** The values, not types, that a source imports by name from shared modules. */
function importsOf(source: string): { path: string; names: string[] }[] {
  return [...source.matchAll(/^import \{([^}]*)\} from "([^"]+)";/gm)].flatMap(
    ([, list = "", path = ""]) => {
      const names = list.split(",").map((name) => name.trim().split(" as ")[0] ?? "");
      const values = names.filter((name) => name !== "" && !name.startsWith("type "));
      return SHARED.test(path) ? [{ path, names: values }] : [];
    },
  );
}
