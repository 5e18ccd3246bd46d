import { readdirSync, readFileSync } from "node:fs";

/** The text of a file, or nothing if it can't be read. */
export function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** The processes of this machine that have a mark on their command line. */
export function processes(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/cmdline`).includes(mark))
    .map(Number);
}
