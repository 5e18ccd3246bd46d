// The program of the wire version before this one: the sources of a commit, in a folder of their own. One file is
// today's: an owner of that commit that stops ends the calls of other gateways, whatever program replaces it.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The last commit with wire version 4 and without key ids. */
const FORMER_COMMIT = "d09e3c3";
const TODAYS_FILE = "packages/cluster/src/membership/owner.ts";
const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** The sources of the earlier program. */
export interface FormerProgram {
  /** A description of its sources. */
  readonly name: string;
  /** Its main file. */
  readonly main: string;
  remove(): void;
}

/** Undefined if this clone doesn't have the commit. */
export function openFormerProgram(): FormerProgram | undefined {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-former-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const packages = ["protocol", "sandbox", "gateway", "cluster"];
    const paths = packages.map((name) => `packages/${name}`);
    const archive = execFileSync("git", ["archive", FORMER_COMMIT, ...paths], {
      ...{ cwd: ROOT, maxBuffer: 2 ** 28, stdio: ["ignore", "pipe", "ignore"] },
    });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    copyFileSync(join(ROOT, TODAYS_FILE), join(folder, TODAYS_FILE));
    linkModules(folder, packages);
  } catch {
    remove();
    return undefined;
  }
  const name = `${FORMER_COMMIT} with today's ${TODAYS_FILE}`;
  return { name, main: join(folder, "packages/gateway/src/main.ts"), remove };
}

/** The same dependencies, but the earlier packages of this repository. */
function linkModules(folder: string, packages: readonly string[]): void {
  const modules = join(ROOT, "node_modules");
  mkdirSync(join(folder, "node_modules/@vitrine"), { recursive: true });
  for (const name of readdirSync(modules)) {
    if (name === "@vitrine" || name.startsWith(".")) continue;
    symlinkSync(join(modules, name), join(folder, "node_modules", name));
  }
  for (const name of packages) {
    symlinkSync(join(folder, "packages", name), join(folder, "node_modules/@vitrine", name));
  }
}
