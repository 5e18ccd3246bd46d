import { existsSync, statSync } from "node:fs";
import { basename, isAbsolute, relative, resolve, sep } from "node:path";
import type { Target } from "../../target/target.ts";

/**
 * The file that represents the checked server: code scanners show findings next to files of the work
 * tree, and a view that a server returns has none. A relative path with slashes.
 */
export function sourcePath(target: Target | string, folder: string = process.cwd()): string {
  if (typeof target === "string") return within(target, folder);
  if (target.kind === "url") return `${target.url.host}${target.url.pathname}`.replace(/\/+$/, "");
  // The started program: the first word that is a file, rather than its runtime.
  const file = target.args.find((word) => isFile(resolve(target.cwd ?? folder, word)));
  return within(file === undefined ? target.program : resolve(target.cwd ?? folder, file), folder);
}

/**
 * Relative to the folder; for a file elsewhere only its name, because scanners accept nothing
 * outside.
 */
function within(path: string, folder: string): string {
  const inside = relative(folder, resolve(folder, path));
  const isOutside = inside === "" || inside.startsWith("..") || isAbsolute(inside);
  return (isOutside ? basename(path) : inside).split(sep).join("/");
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
