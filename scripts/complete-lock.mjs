// Adds the missing platform packages of optional dependencies to package-lock.json. npm writes only those that the
// registry of this machine carries, and `npm ci` then rejects the lock file. Each added entry is a copy of an entry
// for another platform, without `integrity`: npm fills it in where it can download the package.
// `npm run lock:complete` writes; `--check` only lists what is missing.

import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(new URL("../package-lock.json", import.meta.url));
const SYSTEMS = "android|darwin|freebsd|linux|openharmony|win32";
const PLATFORM = new RegExp(`-(${SYSTEMS})-([a-z0-9]+)(?:-(\\w+))?$`);

/** The platform fields that npm compares with the machine, from a package's name. */
export function platformOf(name) {
  if (name.endsWith("-wasm32-wasi")) return { cpu: ["wasm32"] };
  const [, os, cpu, variant = ""] = PLATFORM.exec(name) ?? [];
  if (!os) return undefined;
  if (os !== "linux") return { cpu: [cpu], os: [os] };
  return { cpu: [cpu], libc: [variant.startsWith("musl") ? "musl" : "glibc"], os: [os] };
}

/** The entry that a package at `path` resolves `name` to, as Node does. */
function resolve(packages, path, name) {
  for (let folder = path; ; folder = folder.slice(0, folder.lastIndexOf("/node_modules/"))) {
    const candidate = `${folder}/node_modules/${name}`.replace(/^\//, "");
    if (packages[candidate]) return candidate;
    if (!folder.includes("/node_modules/"))
      return packages[`node_modules/${name}`] && `node_modules/${name}`;
  }
}

/** The missing entries by path. Throws if a package has no entry for any platform to copy. */
export function missingEntries({ packages }) {
  const missing = {};
  for (const [path, { optionalDependencies = {} }] of Object.entries(packages)) {
    const versions = Object.entries(optionalDependencies);
    const found = versions.map(([name, version]) => {
      const place = resolve(packages, path, name);
      return packages[place]?.version === version ? { name, place } : undefined;
    });
    const sibling = found.find((entry) => entry && platformOf(entry.name));
    for (const [at, [name, version]] of versions.entries()) {
      const platform = platformOf(name);
      if (found[at] || !platform) continue;
      if (!sibling) throw new Error(`${path} has no platform package in the lock file to copy.`);
      const { dev, devOptional, license, optional, engines } = packages[sibling.place];
      const place = sibling.place.slice(0, -sibling.name.length) + name;
      const { cpu, libc, os } = platform;
      // In npm's order, so that npm doesn't rewrite it. Undefined members aren't written.
      missing[place] = { version, cpu, dev, devOptional, libc, license, optional, os, engines };
    }
  }
  return missing;
}

/** The lock file with its packages in npm's order. */
export function complete(lock) {
  const entries = Object.entries({ ...lock.packages, ...missingEntries(lock) });
  const sorted = entries.sort(([a], [b]) => a.localeCompare(b, "en"));
  return { ...lock, packages: Object.fromEntries(sorted) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = JSON.parse(await readFile(FILE, "utf8"));
  const missing = Object.keys(missingEntries(lock));
  for (const path of missing) console.log(path);
  console.log(`lock: ${missing.length} platform packages missing`);
  if (process.argv.includes("--check")) process.exitCode = missing.length > 0 ? 1 : 0;
  else await writeFile(FILE, `${JSON.stringify(complete(lock), null, 2)}\n`);
}
