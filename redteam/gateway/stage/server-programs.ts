import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = new URL("../servers/", import.meta.url);

/** The command of a Python program of this suite. */
export function pythonCommand(file: string): string[] {
  return ["python3", fileURLToPath(new URL(file, FOLDER))];
}

/** The command of a JavaScript program of this suite. */
export function nodeCommand(file: string): string[] {
  return [process.execPath, fileURLToPath(new URL(file, FOLDER))];
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
