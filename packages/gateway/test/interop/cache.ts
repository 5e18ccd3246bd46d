import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Something that is installed or built once per machine, outside the work tree. */
export interface Recipe {
  name: string;
  /** Files and other texts that it is made of: where they change it is made again. */
  inputs: readonly string[];
  /** Makes it in an empty folder, by commands that each may fail. */
  make(folder: string): Command[];
}

/** A program with its arguments; no shell reads them. */
export interface Command {
  argv: readonly [string, ...string[]];
  cwd?: string;
  env?: Record<string, string>;
}

/** Its folder, or why there is none. */
export type Made = { folder: string } | { problem: string };

/** Makes it unless it is there. */
export function provide({ name, inputs, make }: Recipe): Made {
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const folder = join(caches, "vitrine", `${name}-${versionOf(inputs)}`);
  const done = join(folder, "installed");
  if (existsSync(done)) return { folder };
  mkdirSync(folder, { recursive: true });
  console.log(`Installing ${name} into ${folder}`);
  for (const { argv, cwd = folder, env } of make(folder)) {
    // Behind everything else: a build is never what this machine waits for.
    const { status, stderr, error } = spawnSync("nice", ["-n", "10", ...argv], {
      cwd,
      env: { ...process.env, ...env },
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    if (status !== 0) {
      const why = error?.message ?? stderr.trim().split("\n").slice(-2).join(" ");
      return { problem: `${argv.slice(0, 2).join(" ")}: ${why.slice(-200)}` };
    }
  }
  writeFileSync(done, "");
  return { folder };
}

/** Whether a program can be started at all. */
export function has(program: string, argument = "--version"): boolean {
  return spawnSync(program, [argument], { stdio: "ignore" }).status === 0;
}

function versionOf(inputs: readonly string[]): string {
  const hash = createHash("sha256");
  for (const input of inputs) {
    for (const text of existsSync(input) ? contentsOf(input) : [input]) hash.update(`${text}\n`);
  }
  return hash.digest("hex").slice(0, 12);
}

function contentsOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [readFileSync(path, "utf8")];
  return readdirSync(path)
    .sort()
    .flatMap((name) => contentsOf(join(path, name)));
}
