// Source maps of built views, kept out of the views: `vitrine dev` and `vitrine check` look them up by
// the hash of the page, to name the author's file and line. A page that is served never contains one.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

/** A script before it is put into the page. */
export interface MappedScript {
  fileName: string;
  code: string;
  map: { sources: readonly (string | null)[] };
}

// Each build of a watched view adds one.
const KEPT = 60;
// Enough to find a script in its page.
const OPENING = 400;

/** Where the maps of a project are; nothing outside of a package. */
export function mapFolder(root: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json")))
      return join(folder, "node_modules", ".cache", "vitrine", "maps");
    if (dirname(folder) === folder) return undefined;
  }
}

/** Writes the maps of a page's scripts; a failure only costs the names of files. */
export function keepMaps(
  html: string,
  scripts: readonly MappedScript[],
  { root, outDir }: { root: string; outDir: string },
): void {
  const folder = mapFolder(root);
  const placed = scripts.flatMap((script) => {
    const at = html.indexOf(script.code.slice(0, OPENING));
    if (at < 0 || script.code === "") return [];
    const before = html.slice(0, at).split("\n");
    const sources = script.map.sources.map((source) => source && named(source, script.fileName));
    return [
      {
        line: before.length - 1,
        column: before.at(-1)?.length ?? 0,
        map: { ...script.map, sources },
      },
    ];
  });
  if (!folder || placed.length === 0) return;
  try {
    mkdirSync(folder, { recursive: true });
    const name = `${createHash("sha256").update(html).digest("hex")}.json`;
    writeFileSync(join(folder, name), JSON.stringify({ root, scripts: placed }));
    forgetOld(folder);
  } catch {
    // A read-only folder, for example.
  }

  /** A path from the project's root, with slashes. */
  function named(source: string, fileName: string): string {
    if (source.startsWith("\0") || /^[a-z]{2,}:/i.test(source)) return source;
    const path = resolve(root, outDir, dirname(fileName), source);
    return relative(root, path).split(sep).join("/");
  }
}

function forgetOld(folder: string): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  if (files.length <= KEPT) return;
  const byAge = files
    .map((file) => ({ file, at: statSync(file).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { file } of byAge.slice(KEPT)) rmSync(file, { force: true });
}
