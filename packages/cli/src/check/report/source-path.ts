import { existsSync, statSync } from "node:fs";
import { basename, isAbsolute, relative, resolve, sep } from "node:path";
import type { Target } from "../../target/target.ts";

/**
 * The file that stands for what was checked: code scanners show findings beside files of the work tree, and
 * a View that a server hands out has none. As a relative address, with slashes.
 */
export function sourcePath(target: Target | string, folder: string = process.cwd()): string {
  if (typeof target === "string") return within(target, folder);
  if (target.kind === "url") return `${target.url.host}${target.url.pathname}`.replace(/\/+$/, "");
  // What was started: the first word that is a file, and not the runtime that runs it.
  const file = target.args.find((word) => isFile(resolve(target.cwd ?? folder, word)));
  return within(file === undefined ? target.program : resolve(target.cwd ?? folder, file), folder);
}

/** From the folder; of a file elsewhere its name alone, since scanners take nothing from outside. */
function within(path: string, folder: string): string {
  const inside = relative(folder, resolve(folder, path));
  const isOutside = inside === "" || inside.startsWith("..") || isAbsolute(inside);
  return (isOutside ? basename(path) : inside).split(sep).join("/");
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
