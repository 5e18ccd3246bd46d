// Checks what would be published: packs every package, lets publint and attw look at the tarballs,
// then installs them together in an empty folder and imports every entry.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { build, listPackages } from "./build.mjs";
import { openRegistry, packPackage } from "./packed-registry.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ATTW = fileURLToPath(import.meta.resolve("@arethetypeswrong/cli/package.json"));
// Sources and leftovers of the build have no business in a tarball; the files of new projects have.
const UNWANTED = /^src\/|^test\/|\.tsbuildinfo$|^(?!templates\/).*\.ts$(?<!\.d\.ts$)/;

/** Runs a command; a failure carries everything it printed. */
async function run(command, args, cwd) {
  try {
    return (await promisify(execFile)(command, args, { cwd })).stdout;
  } catch ({ stdout, stderr, message }) {
    throw new Error(`${basename(command)} ${args.join(" ")}\n${stdout}${stderr || message}`);
  }
}

/** What a package promises, by path: its README, its programs, and what the CLI and the gateway read at run time. */
async function promised({ name, bin = {} }) {
  const common = ["README.md", ...Object.values(bin).map((path) => path.replace(/^\.\//, ""))];
  if (name === "@vitrine/gateway") {
    const files = ["index.html", "main.js", "console.css"].map((file) => `dist/console/${file}`);
    return [...common, "dist/admin/built-console.js", ...files];
  }
  if (name !== "vitrine") return common;
  const cli = join(ROOT, "packages/cli");
  const pages = (await readdir(join(cli, "pages"), { recursive: true }))
    .filter((path) => basename(path) === "index.html")
    .map((path) => `dist/pages/${path}`);
  const read = await Promise.all(
    ["profiles", "templates"].map(async (folder) => {
      const found = await readdir(join(cli, folder), { recursive: true, withFileTypes: true });
      const files = found.filter((entry) => entry.isFile() && entry.name !== "biome.json");
      return files.map((entry) => relative(cli, join(entry.parentPath, entry.name)));
    }),
  );
  return [...common, "dist/stage/built-pages.js", ...pages, ...read.flat()];
}

/** The problems of a tarball. */
async function complaints({ manifest, tarball, files }) {
  const { buffer } = new Uint8Array(await readFile(tarball));
  const { messages } = await publint({ pack: { tarball: buffer } });
  const attw = join(dirname(ATTW), "dist/index.js");
  const options = ["--profile", "esm-only", "--no-color", "--no-emoji"];
  const untyped = await run(process.execPath, [attw, tarball, ...options], ROOT).then(
    () => [],
    (error) => [error.message],
  );
  const unwanted = files.filter((path) => UNWANTED.test(path));
  const missing = (await promised(manifest)).filter((path) => !files.includes(path));
  return [
    ...messages.map((message) => `${manifest.name}: ${formatMessage(message, manifest)}`),
    ...untyped,
    ...unwanted.map((path) => `${manifest.name} would publish ${path}`),
    ...missing.map((path) => `${manifest.name} has no ${path}`),
  ];
}

/** Lends a package's peers from this repository, since the registry is out of reach. */
async function lendPeers({ manifest }, modules) {
  for (const peer of Object.keys(manifest.peerDependencies ?? {})) {
    const from = join(ROOT, "node_modules", peer);
    if (!existsSync(from) || existsSync(join(modules, peer))) continue;
    await mkdir(dirname(join(modules, peer)), { recursive: true });
    await symlink(from, join(modules, peer));
  }
}

/** Installs the tarballs side by side and imports every entry of each, as a user would. */
async function importAll(packed, folder) {
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const tarballs = packed.map(({ tarball }) => tarball);
  const quiet = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
  await run("npm", ["install", ...quiet, "--legacy-peer-deps", ...tarballs], folder);
  const entries = packed.flatMap(({ manifest }) =>
    Object.keys(manifest.exports).map((entry) => manifest.name + entry.slice(1)),
  );
  for (const each of packed) await lendPeers(each, join(folder, "node_modules"));
  const program = entries.map((entry) => `await import("${entry}");`).join("\n");
  await writeFile(join(folder, "import-all.js"), program);
  await run(process.execPath, ["import-all.js"], folder);
  return entries;
}

/**
 * What `npm install @vitrine/gateway` brought before the cluster had a package of its own, measured in the
 * same way on Linux at the commit before the split.
 */
const GATEWAY_BEFORE = { packages: 83, megabytes: 37.7 };

/** Installs the gateway by itself, as somebody without a cluster does, and measures what arrives. */
async function installGateway(packed, folder) {
  const registry = await openRegistry(packed);
  try {
    await mkdir(folder);
    await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--registry", registry.address];
    await run("npm", ["install", ...quiet, "@vitrine/gateway"], folder);
  } finally {
    registry.close();
  }
  const lock = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8"));
  const installed = Object.keys(lock.packages).filter((path) => path !== "");
  return { installed, megabytes: (await sizeOf(join(folder, "node_modules"))) / 1e6 };
}

async function sizeOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Prints the size of an installed gateway; returns what it must not bring along. */
async function checkGateway(packed, folder) {
  const { installed, megabytes } = await installGateway(packed, folder);
  console.log(
    `gateway by itself: ${installed.length} packages, ${megabytes.toFixed(1)} MB installed` +
      ` (before the split: ${GATEWAY_BEFORE.packages} packages, ${GATEWAY_BEFORE.megabytes} MB)`,
  );
  return installed
    .filter((path) => /node_modules\/(?:@nats-io\/|@vitrine\/cluster$)/.test(path))
    .map((path) => `@vitrine/gateway installs ${path}, which only a cluster needs`);
}

async function main() {
  await build();
  const temporary = await mkdtemp(join(tmpdir(), "vitrine-packages-"));
  try {
    const packed = [];
    for (const folder of await listPackages()) packed.push(await packPackage(folder, temporary));
    const found = (await Promise.all(packed.map(complaints))).flat();
    found.push(...(await checkGateway(packed, join(temporary, "gateway"))));
    for (const complaint of found) console.error(complaint);
    if (found.length > 0) process.exitCode = 1;
    // Packages with external dependencies, direct or through our other packages, can't be installed
    // offline; their own tests import them.
    const own = new Map(packed.map(({ manifest }) => [manifest.name, manifest]));
    const isAlone = (name) =>
      own.has(name) && Object.keys(own.get(name).dependencies ?? {}).every(isAlone);
    const alone = packed.filter(({ manifest }) => isAlone(manifest.name));
    const entries = await importAll(alone, join(temporary, "user"));
    console.log(`packages: ${packed.length} packed, ${entries.length} entries imported`);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
