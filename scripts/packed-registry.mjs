// A registry on loopback that has our packages as they would be published, and sends every other question
// on to the registry of this machine. So the commands of the first minutes are typed as they stand in the
// README, with nothing edited in between.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Packs a package into a folder; returns its files by path. */
export async function packPackage(folder, into) {
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", into];
  const [{ filename, files }] = JSON.parse((await run("npm", args, { cwd: folder })).stdout);
  return { manifest, tarball: join(into, filename), files: files.map(({ path }) => path) };
}

/** Serves packed packages; returns the registry's address and its end. */
export async function openRegistry(packed) {
  const { stdout } = await run("npm", ["config", "get", "registry"]);
  const upstream = stdout.trim().replace(/\/$/, "");
  const packages = new Map();
  const tarballs = new Map();
  const server = createServer(({ url = "/" }, response) => {
    const path = decodeURIComponent(url);
    const found = packages.get(path.slice(1));
    const tarball = tarballs.get(path);
    if (found) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(found));
    } else if (tarball) response.end(tarball);
    else response.writeHead(307, { location: upstream + url }).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = `http://127.0.0.1:${server.address().port}`;
  for (const { manifest, tarball } of packed) {
    const bytes = await readFile(tarball);
    const path = `/-/packed/${basename(tarball)}`;
    tarballs.set(path, bytes);
    packages.set(manifest.name, packument(manifest, bytes, address + path));
  }
  return { address, close: () => server.close().closeAllConnections() };
}

function packument(manifest, bytes, tarball) {
  const { name, version } = manifest;
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const shasum = createHash("sha1").update(bytes).digest("hex");
  return {
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { ...manifest, dist: { tarball, integrity, shasum } } },
  };
}
