// `#console` in the published package: the files that `scripts/build.mjs` built.

import { readdir, readFile } from "node:fs/promises";
import type { ConsoleFiles } from "./console-from-source.ts";

const FOLDER = new URL("../console/", import.meta.url);

/** The console's files by their path from the root, including `index.html`. */
export async function consoleFiles(): Promise<ConsoleFiles> {
  const names = await readdir(FOLDER);
  return new Map(
    await Promise.all(
      names.map(
        async (name): Promise<[string, Uint8Array]> => [
          name,
          await readFile(new URL(name, FOLDER)),
        ],
      ),
    ),
  );
}
