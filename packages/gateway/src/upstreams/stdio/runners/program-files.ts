// Which files of the machine a program needs. Everything else stays out of its sandbox.

import { existsSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { UpstreamError } from "../../upstream.ts";
import type { Command } from "../child-wire.ts";
import { findMissingPart, findProgram } from "../program-search.ts";

/** Folders of the system that every sandbox shows. */
export const SYSTEM_FOLDERS: readonly string[] = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/nix/store",
];

// Of these, a program gets the named file only: they hold more than programs.
const WIDE = new Set([
  ...["/", "/home", "/root", "/etc", "/var", "/var/lib", "/opt", "/srv", "/tmp", "/run", "/mnt"],
  ...["/media", "/proc", "/sys", "/dev", "/boot"],
  homedir(),
]);

/** Whether a path is a folder or inside it. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}

/** The program's path, and the paths that it needs besides the system's folders. */
export interface ProgramFiles {
  program: string;
  paths: string[];
}

/** Finds the files of a command. Throws an `UpstreamError` if a part of it doesn't exist. */
export function programFiles({ argv, cwd, env }: Command): ProgramFiles {
  const missing = findMissingPart({ argv, cwd, env });
  const [name = "", ...args] = argv;
  const program = findProgram(name, { path: env.PATH, cwd });
  if (missing !== undefined || program === undefined) {
    throw new UpstreamError("crashed", missing ?? `There is no program "${name}".`);
  }
  const needed = [
    ...(cwd === undefined ? [] : [cwd]),
    ...[program, realpathSync(program)].filter((file) => !isSystem(file)).map(programFolder),
    ...args.flatMap((arg) => argumentPath(arg, cwd) ?? []),
  ];
  const paths = [...new Set(needed)].filter((path) => !WIDE.has(path));
  return { program, paths: [...new Set([...paths, ...paths.flatMap(packagesOf)])] };
}

/** The folder or file that an argument names, such as the folder of a script. */
function argumentPath(arg: string, cwd: string | undefined): string | undefined {
  const file = resolve(cwd ?? ".", arg);
  if (!existsSync(file) || isSystem(file)) return undefined;
  const isFile = statSync(file).isFile();
  if (cwd === undefined && !isAbsolute(arg)) {
    // Words such as "run" or "src" often name a folder by chance.
    if (!isFile) return undefined;
    throw new UpstreamError(
      "crashed",
      `"${arg}" is a file in the gateway's folder, which isolated servers can't see. Write its full path, or set cwd to the server's folder.`,
    );
  }
  if (!isFile) return file;
  return WIDE.has(dirname(file)) ? file : dirname(file);
}

function isSystem(path: string): boolean {
  return SYSTEM_FOLDERS.some((folder) => isInside(path, folder));
}

/** `/opt/tool/bin/tool` needs `/opt/tool`, with its libraries. */
function programFolder(file: string): string {
  const folder = dirname(file);
  const prefix = dirname(folder);
  if (basename(folder) === "bin" && !WIDE.has(prefix)) return prefix;
  return WIDE.has(folder) ? file : folder;
}

/** The packages that Node finds from a folder, which may be in folders above it. */
function packagesOf(folder: string): string[] {
  const found: string[] = [];
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    for (const name of ["node_modules", "package.json"]) {
      const path = join(above, name);
      if (existsSync(path)) found.push(path);
    }
  }
  return found;
}
