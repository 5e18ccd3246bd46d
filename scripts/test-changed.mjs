// The fast path: style, types, architecture, and the unit tests of the packages that changed and of those
// that depend on them.
//
//   npm run test:changed               compared with origin/main, or with HEAD~1 on main itself
//   npm run test:changed -- v0.1.0     compared with any other commit

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { listFiles } from "./tracked-files.mjs";

// Every test depends on these.
const SHARED = /^(internal\/|vitest\.config\.ts$|package(-lock)?\.json$|tsconfig[^/]*\.json$)/;
// These are fast, and they read files of every package.
const ALWAYS = ["scripts/test/", "redteam/test/", "test/interop-coverage", "test/scale-model"];

/**
 * The packages whose unit tests a change can break: those it touches and, over any number of steps, those
 * that depend on them. `dependencies` has the names of the folders that each folder depends on.
 */
export function affectedPackages(changed, dependencies) {
  const folders = Object.keys(dependencies);
  if (changed.some((path) => SHARED.test(path))) return folders;
  const affected = new Set(
    folders.filter((folder) => changed.some((path) => path.startsWith(`packages/${folder}/`))),
  );
  for (let size = -1; size !== affected.size; ) {
    size = affected.size;
    for (const folder of folders) {
      if (dependencies[folder].some((name) => affected.has(name))) affected.add(folder);
    }
  }
  return folders.filter((folder) => affected.has(folder));
}

const git = (...args) => execFileSync("git", args, { encoding: "utf8" }).trim();

/** The commit to compare with: where this branch left origin/main, or the one before on main itself. */
function findBase() {
  try {
    const base = git("merge-base", "HEAD", "origin/main");
    return base === git("rev-parse", "HEAD") ? git("rev-parse", "HEAD~1") : base;
  } catch {
    return git("rev-parse", "HEAD~1");
  }
}

async function readDependencies() {
  const dependencies = {};
  for (const path of await listFiles(/^packages\/[^/]+\/package\.json$/)) {
    const manifest = JSON.parse(await readFile(path, "utf8"));
    const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    dependencies[path.split("/")[1]] = names
      .filter((name) => name.startsWith("@vitrine/"))
      .map((name) => name.slice("@vitrine/".length));
  }
  return dependencies;
}

async function run(command, ...args) {
  console.log(`== ${command} ${args.join(" ")}`);
  const child = spawn(command, args, { stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) process.exit(code ?? 1);
}

async function main() {
  const base = process.argv[2] ?? findBase();
  const changed = [
    ...git("diff", "--name-only", base).split("\n"),
    ...git("ls-files", "--others", "--exclude-standard").split("\n"),
  ].filter((path) => path !== "");
  const packages = affectedPackages(changed, await readDependencies());
  console.log(`${changed.length} files changed since ${base.slice(0, 9)}: ${packages.join(", ")}`);
  for (const check of ["style", "types", "architecture"]) {
    await run("npm", "run", "--silent", `check:${check}`);
  }
  const folders = [...packages.map((name) => `packages/${name}/test/`), ...ALWAYS];
  await run("npx", "vitest", "run", "--project", "unit", ...folders);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
