// Errors of the build that runs next to this session. `watchViews` of @vitrine/server/vite writes them.

import { existsSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type FileWatch, watchFiles } from "./file-watch.ts";

const MOST = 5;
const LONGEST = 8_000;

/** Calls back with the errors of all views whenever they change, and once if there are any. */
export async function watchBuildErrors(
  folder: string,
  onErrors: (errors: string[]) => void,
): Promise<FileWatch | undefined> {
  const modules = join(folder, "node_modules");
  if (!existsSync(modules)) return undefined;
  const errors = join(modules, ".cache", "vitrine", "build-errors");
  try {
    await mkdir(errors, { recursive: true });
  } catch {
    return undefined;
  }
  const read = async (): Promise<void> => {
    const names = (await readdir(errors).catch(() => [])).filter((name) => name.endsWith(".txt"));
    const texts = await Promise.all(
      names
        .sort()
        .slice(0, MOST)
        .map((name) => readFile(join(errors, name), "utf8").catch(() => "")),
    );
    onErrors(texts.filter((text) => text !== "").map((text) => text.slice(0, LONGEST)));
  };
  const files = await watchFiles([errors], { onChange: () => void read() });
  await read();
  return files;
}
