// Servers run as a user of their own, so their programs are copied to where that user can read them: the
// repository and Node may both be in somebody's home folder.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCES = new URL("../servers/", import.meta.url);
const FOLDER = join(tmpdir(), "vitrine-redteam-programs");

/** The user that servers run as; with users of several tenants it can't be the gateway's own. */
export const SERVER_USER = "1600:1600";

/** The command of a Python program of this suite. */
export function pythonCommand(file: string): string[] {
  return ["python3", readable(file)];
}

/** The command of a JavaScript program of this suite. */
export function nodeCommand(file: string): string[] {
  const node = made(`node-${process.version}`, (draft) => copyFileSync(process.execPath, draft));
  return [node, readable(file)];
}

/** The command of a Go program of this suite; compiles it once for each version of its source. */
export function goCommand(file: string): string[] {
  const source = fileURLToPath(new URL(file, SOURCES));
  const name = `${hashOf(source)}-${file.replace(/\.go$/, "")}`;
  const build = (draft: string) =>
    execFileSync("go", ["build", "-o", draft, source], { stdio: ["ignore", "ignore", "inherit"] });
  return [made(name, build)];
}

function readable(file: string): string {
  const source = fileURLToPath(new URL(file, SOURCES));
  return made(`${hashOf(source)}-${file}`, (draft) => copyFileSync(source, draft));
}

/** A file named after its content; created once. */
function made(name: string, make: (draft: string) => void): string {
  const path = join(FOLDER, name);
  if (existsSync(path)) return path;
  mkdirSync(FOLDER, { recursive: true });
  chmodSync(FOLDER, 0o755);
  // Two runs at once must not see a file that is only half written.
  const draft = `${path}.${process.pid}`;
  make(draft);
  chmodSync(draft, 0o755);
  renameSync(draft, path);
  return path;
}

function hashOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 16);
}
