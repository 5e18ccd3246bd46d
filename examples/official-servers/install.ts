import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MANIFEST = fileURLToPath(new URL("servers", import.meta.url));

/**
 * Installs the servers, some 300 MB, once per machine and outside the work tree; the answer is their
 * `node_modules`. Another folder that has them can be named in `OFFICIAL_SERVERS`.
 */
export async function installServers(): Promise<string> {
  if (process.env.OFFICIAL_SERVERS) return process.env.OFFICIAL_SERVERS;
  const lock = await readFile(join(MANIFEST, "package-lock.json"));
  const version = createHash("sha256").update(lock).digest("hex").slice(0, 12);
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const folder = join(caches, "vitrine", `official-servers-${version}`);
  const done = join(folder, "installed");
  const modules = join(folder, "node_modules");
  if (
    await readFile(done).then(
      () => true,
      () => false,
    )
  )
    return modules;
  await mkdir(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) {
    await copyFile(join(MANIFEST, file), join(folder, file));
  }
  console.log(`Installing the official servers into ${folder}`);
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: "inherit" });
  if (status !== 0) throw new Error("npm could not install the official servers.");
  await writeFile(done, "");
  return modules;
}
