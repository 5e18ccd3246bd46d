import { join, relative, sep } from "node:path";
import { watch } from "chokidar";

/** Watched files. */
export interface FileWatch {
  close(): Promise<void>;
}

// Editors and bundlers write several files, or one of them twice.
const FLOCK = 15;
const NEVER = new Set([
  "node_modules",
  ".git",
  ".hg",
  ".svn",
  ".venv",
  "venv",
  "__pycache__",
  ".cache",
]);
const PASSING = /(~|\.swp|\.tmp|\.log|\.tsbuildinfo|\.DS_Store|\.pyc)$|^\.#|^4913$/;

/** Callbacks. */
export interface FileWatchOptions {
  ignore?: readonly string[];
  /** Folders and files whose changes are reported at once: build output is written in one go. */
  prompt?: readonly string[];
  onChange(paths: string[]): void;
}

/** Calls back with the files that changed, a moment after they did. */
export async function watchFiles(
  paths: readonly string[],
  { ignore = [], prompt = [], onChange }: FileWatchOptions,
): Promise<FileWatch> {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch([...paths], {
    ignoreInitial: true,
    ignored: (path) => ignore.includes(path) || paths.some((root) => isIgnored(root, path)),
  });
  watcher.on("all", (event, path) => {
    if (event === "addDir" || event === "unlinkDir") return;
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        const flock = [...changed];
        changed.clear();
        onChange(flock);
      },
      isBelow(prompt, path) ? 0 : FLOCK,
    );
  });
  // A file that can't be watched (too many files, a deleted folder) must not end the session.
  watcher.on("error", () => {});
  await new Promise<void>((resolve) => watcher.once("ready", () => resolve()));
  return {
    close: async () => {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}

/** Parts of a watched folder that aren't edited manually. */
export function isIgnored(root: string, path: string): boolean {
  const inside = relative(root, path);
  if (inside === "" || inside.startsWith("..")) return false;
  const parts = inside.split(sep);
  return parts.some((part) => NEVER.has(part)) || PASSING.test(parts.at(-1) ?? "");
}

const PROGRAMS = /\.([cm]?[jt]s|py|rb|go|rs|java|kt|cs|php|json|ya?ml|toml|env)$/;

/** Whether a file can be part of the program itself, and not only of what it serves. */
export function isProgram(path: string): boolean {
  return PROGRAMS.test(path);
}

/** Whether a path is one of the folders or files, or inside one; all are absolute. */
export function isBelow(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => path === folder || path.startsWith(join(folder, sep)));
}
