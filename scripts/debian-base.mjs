// A base image from this machine's own Debian packages and Node, for machines that reach no image registry. It has
// what the Dockerfile uses of node:24-bookworm-slim: a shell, coreutils, util-linux, CA certificates, Node, npm and
// the user `node`.

import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { cp, mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const WANTED = ["base-files", "ca-certificates", "coreutils", "dash", "libstdc++6", "util-linux"];
const ROOT_LINKS = ["/bin", "/lib", "/lib64", "/sbin"].filter((path) => existsSync(path));
const UNUSED = /^\/usr\/share\/(doc|info|locale|man)\//;
const USERS = "root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n";

function output(program, args, options = {}) {
  return execFileSync(program, args, { encoding: "utf8", maxBuffer: 2 ** 28, ...options });
}

/** The wanted packages and everything that they depend on. */
function listPackages() {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query replaces these, not JavaScript.
  const format = "${binary:Package}\t${Provides}\t${Depends}, ${Pre-Depends}\n";
  const nameOf = (text) => text.trim().split(/[\s:(]/)[0];
  const known = new Map();
  for (const line of output("dpkg-query", ["--show", `--showformat=${format}`]).split("\n")) {
    const [name = "", provides = "", depends = ""] = line.split("\t");
    // Of alternatives every one is taken that is installed.
    const entry = { name, depends: depends.split(/[,|]/).map(nameOf) };
    for (const provided of [name, ...provides.split(",")]) known.set(nameOf(provided), entry);
  }
  const taken = new Set();
  const queue = [...WANTED];
  for (const wanted of queue) {
    const entry = known.get(wanted);
    if (!entry?.name || taken.has(entry.name)) continue;
    taken.add(entry.name);
    queue.push(...entry.depends);
  }
  return [...taken];
}

/** The files of packages. dpkg names some by way of the links /bin and /lib, which have to stay links. */
function listFiles(packages) {
  const listed = new Set(output("dpkg", ["--listfiles", ...packages]).split("\n"));
  const paths = [...listed].flatMap((path) => {
    const isWanted = path.startsWith("/") && path !== "/." && !UNUSED.test(path);
    return isWanted && existsSync(path) ? [join(realpathSync(dirname(path)), basename(path))] : [];
  });
  return [...new Set([...ROOT_LINKS, ...paths])];
}

/** Writes the root file system into a folder. */
export async function writeDebianBase(folder) {
  const files = listFiles(listPackages());
  const copied = join(folder, "usr/local/lib/node_modules");
  await mkdir(copied, { recursive: true });
  const list = files.map((path) => path.slice(1)).join("\0");
  const pack = ["--create", "--directory=/", "--no-recursion", "--null", "--files-from=-"];
  const archive = execFileSync("tar", pack, { input: list, maxBuffer: 2 ** 31 - 1 });
  execFileSync("tar", ["--extract", `--directory=${folder}`], { input: archive });
  await mkdir(join(folder, "usr/local/bin"), { recursive: true });
  await cp(process.execPath, join(folder, "usr/local/bin/node"), { dereference: true });
  const npm = dirname(dirname(await realpath(output("which", ["npm"]).trim())));
  await cp(npm, join(copied, "npm"), { recursive: true, dereference: true });
  await symlink("../lib/node_modules/npm/bin/npm-cli.js", join(folder, "usr/local/bin/npm"));
  await cp("/etc/ssl/certs/ca-certificates.crt", join(folder, "etc/ssl/certs/ca-certificates.crt"));
  await writeFile(join(folder, "etc/passwd"), USERS);
  await writeFile(join(folder, "etc/group"), "root:x:0:\nnode:x:1000:\n");
  await mkdir(join(folder, "home/node"), { recursive: true });
  execFileSync("ldconfig", ["-r", folder]);
}
