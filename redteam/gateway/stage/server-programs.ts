import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = new URL("../servers/", import.meta.url);
const SYSTEM_PYTHON = "/usr/bin/python3";

/** The command of a Python program of this suite. */
export function pythonCommand(file: string): string[] {
  // One that is found by PATH may be in a home folder, closed to the users that servers run as.
  const python = existsSync(SYSTEM_PYTHON) ? SYSTEM_PYTHON : "python3";
  return [python, publicFile(fileURLToPath(new URL(file, FOLDER)))];
}

/** The command of a JavaScript program of this suite. */
export function nodeCommand(file: string): string[] {
  return [publicFile(process.execPath), publicFile(fileURLToPath(new URL(file, FOLDER)))];
}

/** A copy that every user can read and run: servers run as users of their own. */
function publicFile(path: string): string {
  const { size, mtimeMs } = statSync(path);
  const stamp = createHash("sha256")
    .update(`${path} ${size} ${mtimeMs}`)
    .digest("hex")
    .slice(0, 16);
  const folder = join(tmpdir(), "vitrine-redteam-public", stamp);
  const copy = join(folder, basename(path));
  if (existsSync(copy)) return copy;
  mkdirSync(folder, { recursive: true });
  // Two runs at once must not see a file that is only half written.
  const draft = `${copy}.${process.pid}`;
  copyFileSync(path, draft);
  chmodSync(draft, 0o755);
  renameSync(draft, copy);
  return copy;
}

/** The command of a Go program of this suite; compiles it once for each version of its source. */
export function goCommand(file: string): string[] {
  const source = fileURLToPath(new URL(file, FOLDER));
  const hash = createHash("sha256").update(readFileSync(source)).digest("hex").slice(0, 16);
  const folder = join(tmpdir(), "vitrine-redteam-go");
  const program = join(folder, `${file.replace(/\.go$/, "")}-${hash}`);
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    // Two runs at once must not see a program that is only half written.
    const draft = `${program}.${process.pid}`;
    execFileSync("go", ["build", "-o", draft, source], { stdio: ["ignore", "ignore", "inherit"] });
    renameSync(draft, program);
  }
  return [program];
}
