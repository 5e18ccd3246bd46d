// `#pages` in the published package: the files that `scripts/build.mjs` built.

import { readdir, readFile } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { PageFiles } from "./pages-from-source.ts";

const PAGES = fileURLToPath(new URL("../pages/", import.meta.url));

/** The files of a page, by their path from its root, including `index.html`. */
export async function pageFiles(name: string): Promise<PageFiles> {
  const root = resolve(PAGES, name);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => resolve(parentPath, name));
  return new Map(
    await Promise.all(
      paths.map(
        async (path): Promise<[string, Uint8Array]> => [
          relative(root, path).replaceAll(sep, "/"),
          await readFile(path),
        ],
      ),
    ),
  );
}
