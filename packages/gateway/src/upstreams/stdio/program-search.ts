import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";

/** Finds a program as `execvp` does. Undefined if there is none. */
export function findProgram(
  name: string,
  { path = "/usr/bin:/bin", cwd = "/" }: { path?: string | undefined; cwd?: string | undefined },
): string | undefined {
  const candidates = name.includes("/")
    ? [resolve(cwd, name)]
    : path.split(delimiter).map((folder) => resolve(cwd, folder, name));
  return candidates.find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Why a command can't be started, from what the gateway can see. */
export function findMissingPart({
  argv: [name = ""],
  cwd,
  env,
}: {
  argv: readonly string[];
  cwd?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
}): string | undefined {
  if (cwd !== undefined && !existsSync(cwd)) return `The folder ${cwd} (cwd) doesn't exist.`;
  if (cwd !== undefined && !statSync(cwd).isDirectory()) return `${cwd} (cwd) isn't a folder.`;
  if (findProgram(name, { path: env.PATH, cwd })) return undefined;
  return name.includes("/")
    ? `The program ${resolve(cwd ?? ".", name)} doesn't exist or can't be executed.`
    : `There is no program "${name}" in PATH (${env.PATH ?? "/usr/bin:/bin"}).`;
}
