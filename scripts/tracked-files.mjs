import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The files of the work tree that match: those git tracks, and new ones it does not ignore. */
export async function listFiles(pattern) {
  const { stdout } = await promisify(execFile)(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  return stdout.split("\n").filter((path) => pattern.test(path));
}
